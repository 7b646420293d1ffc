"""Numbers of watchers in lists and in the lobby."""

from __future__ import annotations

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.play import room_of


async def wait_for_count(lobby: Guest, room: str, watchers: int) -> None:
    """Wait until the lobby reports a number of watchers."""
    while True:
        update = await lobby.find(type="lobby")
        if [info.get("watchers", 0) for info in update["rooms"] if info["room"] == room] == [watchers]:
            return


async def test_watchers_are_counted(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, cy, eve, fay = [await connect_guest(server.url, name) for name in ("ann", "ben", "cy", "eve", "fay")]
    room = await room_of(ann, ben)
    await eve.ask("lobby", on=True)
    full = await eve.find(type="lobby", full=True)
    assert "watchers" not in full["rooms"][0]
    await cy.ask("watch", room=room)
    await wait_for_count(eve, room, 1)
    await fay.ask("watch", room=room)
    await wait_for_count(eve, room, 2)
    await fay.ask("watch", room=room)
    assert (await ann.ask("list"))["rooms"][0]["watchers"] == 2
    await fay.ask("leave", room=room)
    await wait_for_count(eve, room, 1)
    cy.socket.transport.abort()
    await wait_for_count(eve, room, 0)


async def test_watchers_of_a_finished_game_are_not_reported(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    await ann.ask("resign", room=room)
    await eve.ask("lobby", on=True)
    await ben.ask("leave", room=room)
    cy = await connect_guest(server.url, "cy")
    await cy.ask("watch", room=room)
    await cy.ask("leave", room=room)
    await ann.ask("create", game="conga")
    await eve.find(type="lobby", full=True)
    assert [info["game"] for info in (await eve.find(type="lobby"))["rooms"]] == ["conga"]


async def test_watchers_of_a_private_room_are_not_reported(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    await eve.ask("lobby", on=True)
    created = await ann.ask("create", game="conga", private=True)
    await ben.ask("watch", room=created["room"], code=created["code"])
    await ann.ask("create", game="mancala")
    await eve.find(type="lobby", full=True)
    assert [info["game"] for info in (await eve.find(type="lobby"))["rooms"]] == ["mancala"]
