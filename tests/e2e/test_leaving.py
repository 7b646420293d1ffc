"""Leave a room, also with one of several connections."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.play import move, room_of


async def test_player_with_another_connection_stays_online(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    also_ann = await connect_guest(server.url, resume=ann.session)
    await also_ann.find(type="snapshot", room=room)
    await ann.ask("leave", room=room)
    live = server.app.registry.rooms[room]
    assert live.room.away == (None, None)
    await move(also_ann, room, 0, "a1")
    assert (await ben.refused("claim", room=room))["text"].startswith("your opponent is online")
    await also_ann.ask("leave", room=room)
    assert (await ben.find(type="presence"))["seat"] == 0


@pytest.mark.parametrize("private", [False, True])
async def test_leave_gives_up_the_seat_on_all_connections(
    start: Start, connect_guest: ConnectGuest, private: bool
) -> None:
    server = await start()
    ann, eve = [await connect_guest(server.url, name) for name in ("ann", "eve")]
    room = (await eve.ask("create", game="cohcoh", players=["ann", "ben"], private=private))["room"]
    await ann.ask("join", room=room)
    also_ann = await connect_guest(server.url, resume=ann.session)
    await also_ann.find(type="snapshot", room=room)
    live = server.app.registry.rooms[room]
    assert len(live.players[0]) == 2
    await ann.ask("leave", room=room)
    await also_ann.find(type="unseated")
    assert live.players == ([], [])
    assert len(live.watchers) == (1 if private else 2), "eve, and in a public room also ann"


async def test_move_after_leave_makes_the_player_online_again(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await ann.ask("leave", room=room)
    assert not (await ben.find(type="presence"))["online"]
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="presence"))["online"]
    await ben.ask("move", room=room, ply=1, move="b1")
    assert (await ann.find(type="moved", ply=2))["move"] == "b1"
    assert (await ben.refused("claim", room=room))["code"] == "too_early"


async def test_leaving_an_unplayed_room_keeps_the_last_game_open(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await ben.ask("resign", room=room)
    other = (await ann.ask("create", game="cohcoh"))["room"]
    await ann.ask("leave", room=other)
    await ben.ask("say", room=room, text="well played")
    assert (await ann.find(type="said"))["text"] == "well played"


async def test_aborted_room_can_be_watched(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    other = (await ben.ask("create", game="cohcoh"))["room"]
    await ben.ask("leave", room=other)
    await ann.ask("resign", room=await room_of(ann, ben))
    await ann.ask("watch", room=other)
    await ann.ask("say", room=other, text="no opponent came")
