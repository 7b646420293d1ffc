"""Rated games on two nodes: games that end together are each rated exactly once."""

from __future__ import annotations

from tests.e2e.accounts import account, members
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import room_of
from tests.nodes.conftest import Start


async def test_both_players_resign_together_on_different_nodes(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann = await connect_guest(left.url, token=await account(left, "ann"))
    ben = await connect_guest(right.url, token=await account(left, "ben"))
    for games in range(1, 6):
        room = await room_of(ann, ben, rated=True)
        ids = [await guest.send("resign", room=room) for guest in (ann, ben)]
        answers = [await guest.answer(id) for guest, id in zip((ann, ben), ids, strict=True)]
        assert sorted(answer["type"] for answer in answers) == ["error", "ok"]
        seen = [(await guest.find(type="ended", room=room))["ratings"] for guest in (ann, ben)]
        assert seen[0] == seen[1]
        known = await right.app.store.ratings("cohcoh", ["p-ann", "p-ben"])
        assert {row.games for row in known.values()} == {games}


async def test_games_of_one_player_end_together_on_two_nodes(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, *others = await members(left, connect_guest, "ann", *(f"m{n}" for n in range(4)))
    also = await connect_guest(right.url, token="token of ann")
    near, far = others[:2], [await connect_guest(right.url, token=f"token of m{n}") for n in (2, 3)]
    rooms = [await room_of(ann, guest, rated=True) for guest in near]
    rooms += [await room_of(also, guest, rated=True) for guest in far]
    ids = [await guest.send("resign", room=room) for guest, room in zip([*near, *far], rooms, strict=True)]
    for guest, id in zip([*near, *far], ids, strict=True):
        assert (await guest.answer(id))["type"] == "ok"
    history = await left.app.store.rating_history("cohcoh", "p-ann", None, 10)
    assert [row.games for row in history] == [4, 3, 2, 1]
    assert {row.room for row in history} == set(rooms)
    for row, later in zip(history[1:], history, strict=False):
        assert row.rating < later.rating
