"""How many watch a room: in lists, in the lobby, and when they go."""

from __future__ import annotations

from tests.e2e.conftest import Come, Start
from tests.e2e.guest import Guest
from tests.e2e.play import room_of


async def counted(lobby: Guest, room: str, watchers: int) -> None:
    """Wait until the lobby says so."""
    while True:
        update = await lobby.find(type="lobby")
        if [info.get("watchers", 0) for info in update["rooms"] if info["room"] == room] == [watchers]:
            return


async def test_watchers_are_counted_as_they_come_and_go(start: Start, come: Come) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, cy, eve, fay = [await come(server.url, name) for name in ("ann", "ben", "cy", "eve", "fay")]
    room = await room_of(ann, ben)
    await eve.ask("lobby", on=True)
    full = await eve.find(type="lobby", full=True)
    assert "watchers" not in full["rooms"][0]
    await cy.ask("watch", room=room)
    await counted(eve, room, 1)
    await fay.ask("watch", room=room)
    await counted(eve, room, 2)
    await fay.ask("watch", room=room)
    assert (await ann.ask("list"))["rooms"][0]["watchers"] == 2
    await fay.ask("leave", room=room)
    await counted(eve, room, 1)
    cy.socket.transport.abort()
    await counted(eve, room, 0)


async def test_who_looks_at_a_finished_game_is_no_news(start: Start, come: Come) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await come(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    await ann.ask("resign", room=room)
    await eve.ask("lobby", on=True)
    await ben.ask("leave", room=room)
    cy = await come(server.url, "cy")
    await cy.ask("watch", room=room)
    await cy.ask("leave", room=room)
    await ann.ask("create", game="conga")
    await eve.find(type="lobby", full=True)
    assert [info["game"] for info in (await eve.find(type="lobby"))["rooms"]] == ["conga"]


async def test_nobody_hears_who_watches_a_private_room(start: Start, come: Come) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await come(server.url, name) for name in ("ann", "ben", "eve")]
    await eve.ask("lobby", on=True)
    made = await ann.ask("create", game="conga", private=True)
    await ben.ask("watch", room=made["room"], code=made["code"])
    await ann.ask("create", game="mancala")
    await eve.find(type="lobby", full=True)
    assert [info["game"] for info in (await eve.find(type="lobby"))["rooms"]] == ["mancala"]
