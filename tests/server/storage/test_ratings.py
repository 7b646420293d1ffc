"""Ratings in every store: written with the event that causes them, once, on top of each other."""

from __future__ import annotations

import asyncio

import pytest

from server.domain.glicko2 import PERIOD_MS
from server.domain.ratings import RatingRow
from server.storage.factory import open_store
from server.storage.interface import Append, Conflict, Store, append_and_wait
from tests.server.storage.rows import rating


async def test_ratings_are_written_with_their_event_or_not_at_all(store: Store) -> None:
    await append_and_wait(store, Append("r", 0, (b"end",), ratings=(rating("p1", 1, 1600), rating("p2", 1, 1400))))
    with pytest.raises(Conflict):  # another node has written this event
        await append_and_wait(store, Append("r", 0, (b"end",), ratings=(rating("p1", 2, 1700),)))
    with pytest.raises(Conflict):  # another game of this player was rated first
        await append_and_wait(store, Append("s", 0, (b"end",), ratings=(rating("p3", 1), rating("p1", 1, 1700))))
    assert await store.events("s") == []
    known = await store.ratings("conga", ["p1", "p2", "p3"])
    assert {player: row.rating for player, row in known.items()} == {"p1": 1600, "p2": 1400}
    assert await store.ratings("conga stones=5", ["p1"]) == {}
    assert await store.ratings("conga", []) == {}


async def test_games_that_end_together_are_rated_one_after_another(place: str) -> None:
    """Two nodes end many games of one player: every game is rated, each on top of the one before."""
    nodes = [open_store(place), open_store(place)]
    for node in nodes:
        await node.open()

    async def finish(number: int) -> None:
        node = nodes[number % 2]
        while True:
            known = (await node.ratings("conga", ["p"])).get("p")
            games = 0 if known is None else known.games
            value = 1500 if known is None else known.rating
            row = rating("p", games + 1, value + 1, room=f"r{number}")
            other = rating(f"q{number}", 1)
            try:
                await append_and_wait(node, Append(f"r{number}", 0, (b"end",), ratings=(row, other)))
                return
            except Conflict:
                continue

    await asyncio.gather(*(finish(number) for number in range(24)))
    history = await nodes[1].rating_history("conga", "p", None, 100)
    assert [(row.games, row.rating) for row in history] == [(n, 1500 + n) for n in range(24, 0, -1)]
    assert {row.room for row in history} == {f"r{n}" for n in range(24)}
    assert (await nodes[0].ratings("conga", ["p"]))["p"] == history[0]
    for node in nodes:
        await node.close()


async def test_rating_history_is_paged(store: Store) -> None:
    for games in range(1, 6):
        await append_and_wait(store, Append("r", games - 1, (b"x",), ratings=(rating("p", games, 1500 + games),)))
    assert [row.games for row in await store.rating_history("conga", "p", None, 2)] == [5, 4]
    assert [row.games for row in await store.rating_history("conga", "p", 4, 9)] == [3, 2, 1]
    assert await store.rating_history("mancala", "p", None, 9) == []


async def test_leaders_have_accounts_and_established_ratings_come_first(store: Store) -> None:
    rows = {
        "good": rating("p1", 30, 1800),
        "better": rating("p2", 30, 1900),
        "lucky": rating("p3", 1, 2000, deviation=290.0),
        "away": rating("p4", 90, 2100, at=5 - 100 * PERIOD_MS),
        "gone": rating("p5", 30, 2200),
        "elsewhere": rating("p6", 30, 2300, profile="mancala"),
    }
    for number, (name, row) in enumerate(rows.items()):
        assert await store.add_account(name, row.player, name, 1)
        await append_and_wait(store, Append(f"r{number}", 0, (b"x",), ratings=(row, rating(f"guest{number}", 1))))
    await store.revoke_account("gone", 2)
    found = await store.leaders("conga", 5, 10)
    assert [name for name, _ in found] == ["better", "good", "away", "lucky"]
    assert found[0][1] == rows["better"]
    assert isinstance(found[0][1], RatingRow)
    assert [name for name, _ in await store.leaders("conga", 5, 2)] == ["better", "good"]
