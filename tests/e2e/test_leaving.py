"""Leaving with one of several connections."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Come, Start
from tests.e2e.play import move, room_of


async def test_a_player_with_another_connection_stays(start: Start, come: Come) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    also_ann = await come(server.url, resume=ann.session)
    await also_ann.find(type="snapshot", room=room)
    await ann.ask("leave", room=room)
    live = server.app.registry.rooms[room]
    assert live.room.away == (None, None)
    await move(also_ann, room, 0, "a1")
    assert (await ben.refused("claim", room=room))["text"].startswith("your opponent is online")
    await also_ann.ask("leave", room=room)
    assert (await ben.find(type="presence"))["seat"] == 0


@pytest.mark.parametrize("private", [False, True])
async def test_who_gives_a_seat_back_is_no_player_on_any_connection(start: Start, come: Come, private: bool) -> None:
    server = await start()
    ann, eve = [await come(server.url, name) for name in ("ann", "eve")]
    room = (await eve.ask("create", game="cohcoh", players=["ann", "ben"], private=private))["room"]
    await ann.ask("join", room=room)
    also_ann = await come(server.url, resume=ann.session)
    await also_ann.find(type="snapshot", room=room)
    live = server.app.registry.rooms[room]
    assert len(live.players[0]) == 2
    await ann.ask("leave", room=room)
    await also_ann.find(type="unseated")
    assert live.players == ([], [])
    assert len(live.watchers) == (1 if private else 2), "eve, and whoever may watch"


async def test_a_player_who_left_and_goes_on_playing_is_back(start: Start, come: Come) -> None:
    server = await start()
    ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
    room = await room_of(ann, ben)
    await ann.ask("leave", room=room)
    assert not (await ben.find(type="presence"))["online"]
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="presence"))["online"]
    await ben.ask("move", room=room, ply=1, move="b1")
    assert (await ann.find(type="moved", ply=2))["move"] == "b1"
    assert (await ben.refused("claim", room=room))["code"] == "too_early"


async def test_a_room_in_which_nothing_was_played_takes_nobody_from_the_last_game(start: Start, come: Come) -> None:
    server = await start()
    ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
    room = await room_of(ann, ben)
    await ben.ask("resign", room=room)
    other = (await ann.ask("create", game="cohcoh"))["room"]
    await ann.ask("leave", room=other)
    await ben.ask("say", room=room, text="well played")
    assert (await ann.find(type="said"))["text"] == "well played"


async def test_a_room_in_which_nothing_was_played_can_be_watched_all_the_same(start: Start, come: Come) -> None:
    server = await start()
    ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
    other = (await ben.ask("create", game="cohcoh"))["room"]
    await ben.ask("leave", room=other)
    await ann.ask("resign", room=await room_of(ann, ben))
    await ann.ask("watch", room=other)
    await ann.ask("say", room=other, text="nobody came")
