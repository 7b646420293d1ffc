"""Rated games: they need accounts, and change both ratings exactly once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.domain.glicko2 import Rating, after_games
from server.domain.ratings import RatingRow
from server.rooms.timers import now
from server.storage.factory import open_store
from server.storage.interface import Append, append_and_wait
from tests.e2e.accounts import members
from tests.e2e.conftest import ConnectGuest, Spawn, Start
from tests.e2e.guest import Guest
from tests.e2e.play import RATED_CLOCK, play, room_of

WON, LOST = after_games(Rating(), [(Rating(), 1)]), after_games(Rating(), [(Rating(), 0)])
CHANGES = [
    {"before": 1500, "after": round(after.rating), "deviation": round(after.deviation), "provisional": True}
    for after in (WON, LOST)
]


async def test_rated_game_changes_both_ratings(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    store = server.app.store
    ann, ben = await members(server, connect_guest, "ann", "ben")
    eve = await connect_guest(server.url, "eve")
    room = await room_of(ann, ben, options={"n": 3}, rated=True)
    await eve.ask("watch", room=room)
    assert (await eve.find(type="snapshot"))["rated"]
    await ben.ask("resign", room=room)
    for guest in (ann, ben, eve):
        assert (await guest.find(type="ended"))["ratings"] == CHANGES
    known = await store.ratings("cohcoh n=3", ["p-ann", "p-ben"])
    assert (known["p-ann"].rating, known["p-ben"].rating) == (WON.rating, LOST.rating)
    assert (known["p-ann"].games, known["p-ann"].room) == (1, room)
    await ann.ask("watch", room=room)
    assert (await ann.find(type="snapshot", status="ended"))["ratings"] == CHANGES


async def test_last_move_of_a_rated_game_reports_the_ratings(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await members(server, connect_guest, "ann", "ben")
    room = await room_of(ann, ben, options={"n": 3}, rated=True)
    await play(ann, ben, room, "b2", "a1", "a2", "c1", "c2")
    ended = await ann.find(type="ended")
    assert (ended["winner"], ended["ratings"][0]["after"]) == (1, round(LOST.rating))


async def test_rating_is_shown_with_the_name_and_updated_in_a_rematch(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann, ben = await members(server, connect_guest, "ann", "ben")
    room = await room_of(ann, ben, rated=True)
    await ben.ask("resign", room=room)
    await ann.ask("rematch", room=room)
    await ben.find(type="rematch_offered")
    await ben.ask("rematch", room=room)
    again = (await ann.find(type="rematched"))["next"]
    seats = (await ann.find(type="snapshot", room=again))["seats"]
    expected = [("ben", round(LOST.rating), True), ("ann", round(WON.rating), True)]
    assert [(seat["name"], seat["rating"], seat["provisional"]) for seat in seats] == expected
    casual = (await ben.ask("create", game="cohcoh", seat=0))["room"]
    shown = {info["room"]: info for info in (await ann.ask("list"))["rooms"]}
    assert shown[casual]["seats"][0]["rating"] == round(LOST.rating)
    other = (await ben.ask("create", game="conga", seat=0))["room"]
    assert "rating" not in (await ben.find(type="snapshot", room=other))["seats"][0]


async def test_guest_can_be_the_arbiter_of_a_rated_game(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await members(server, connect_guest, "ann", "ben")
    arbiter = await connect_guest(server.url, "arbiter")
    room = (await arbiter.ask("create", game="cohcoh", rated=True, clock=RATED_CLOCK, players=["ann", "ben"]))["room"]
    for guest in (ann, ben):
        await guest.ask("join", room=room)
    await ben.find(type="snapshot", status="running")
    await ben.ask("resign", room=room)
    assert (await arbiter.find(type="ended"))["ratings"] == CHANGES


async def test_guests_and_custom_positions_cannot_be_rated(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, _ = await members(server, connect_guest, "ann", "ben")
    guest = await connect_guest(server.url, "guest")
    for type in ("create", "pair"):
        error = await guest.refused(type, game="conga", rated=True)
        assert error["code"] == "account_needed"
        assert "token" in error["text"]
    room = (await ann.ask("create", game="cohcoh", rated=True, clock=RATED_CLOCK, seat=0))["room"]
    assert (await guest.refused("join", room=room))["code"] == "account_needed"
    start_text = "w............... b"
    error = await ann.refused("create", game="cohcoh", rated=True, options={"start": start_text})
    assert (error["code"], "usual position" in error["text"]) == ("bad_options", True)
    await ann.ask("create", game="cohcoh", options={"start": start_text})


async def test_casual_and_aborted_games_are_not_rated(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await members(server, connect_guest, "ann", "ben")
    casual = await room_of(ann, ben)
    await ann.ask("resign", room=casual)
    assert "ratings" not in await ben.find(type="ended", room=casual)
    aborted = await room_of(ann, ben, rated=True)
    await ann.ask("abort", room=aborted)
    assert "ratings" not in await ben.find(type="ended", room=aborted)
    assert await server.app.store.ratings("cohcoh", ["p-ann", "p-ben"]) == {}


async def test_games_that_end_at_the_same_time_are_all_rated(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    names = [f"m{n}" for n in range(6)]
    ann, *others = await members(server, connect_guest, "ann", *names)
    rooms = [await room_of(ann, other, rated=True) for other in others]
    ids = [await other.send("resign", room=room) for other, room in zip(others, rooms, strict=True)]
    for other, id in zip(others, ids, strict=True):
        assert (await other.answer(id))["type"] == "ok"
    history = await server.app.store.rating_history("cohcoh", "p-ann", None, 10)
    assert [row.games for row in history] == [6, 5, 4, 3, 2, 1]
    assert {row.room for row in history} == set(rooms)
    values = [row.rating for row in history]
    assert values == sorted(values, reverse=True)


async def test_rating_survives_kill_9(spawn: Spawn, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    first = await spawn()
    store = open_store(str(tmp_path / "parlour.db"))
    await store.open()
    for name in ("ann", "ben"):
        await store.add_account(name, f"p-{name}", f"token of {name}", 1)
    await store.close()  # a starting server waits until no other process writes
    ann, ben = [await connect_guest(first.url, token=f"token of {name}") for name in ("ann", "ben")]
    room = await room_of(ann, ben, rated=True)
    await ben.ask("resign", room=room)
    await first.kill()
    second = await spawn()
    back = await connect_guest(second.url, token="token of ann")
    await back.ask("watch", room=room)
    assert (await back.find(type="snapshot", room=room))["ratings"] == CHANGES
    store = open_store(str(tmp_path / "parlour.db"))
    await store.open()
    assert [row.games for row in await store.rating_history("cohcoh", "p-ann", None, 9)] == [1]
    await store.close()


async def test_slow_ratings_do_not_make_a_move_late(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another game of the player ends between reading and writing the ratings, and an hour passes."""
    ahead = 0
    server = await start(clock=lambda: now() + ahead, sweep=3600.0)
    store = server.app.store
    ann, ben = await members(server, connect_guest, "ann", "ben")
    clock = {"kind": "fischer", "base": 60_000}
    room = await room_of(ann, ben, rated=True, options={"n": 3}, clock=clock)
    await play(ann, ben, room, "b2", "a1", "a2", "c1")
    ratings = store.ratings

    async def slow(profile: str, players: list[str]) -> dict[str, RatingRow]:
        nonlocal ahead
        known = await ratings(profile, players)
        if not ahead:
            ahead = 3_600_000
            other = RatingRow(profile, "p-ann", 1, 1700.0, 60.0, 0.06, now(), "elsewhere")
            await append_and_wait(store, Append("elsewhere", 0, (b"",), ratings=(other,)))
        return known

    monkeypatch.setattr(store, "ratings", slow)
    await ann.ask("move", room=room, ply=4, move="c2")
    ended = await ann.find(type="ended")
    assert (ended["reason"], ended["ratings"][0]["before"]) == ("line", 1700)
    assert [row.games for row in await store.rating_history("cohcoh n=3", "p-ann", None, 9)] == [2, 1]


@pytest.mark.parametrize("both", [False, True])
async def test_game_is_rated_once_despite_several_resignations(
    start: Start, connect_guest: ConnectGuest, both: bool
) -> None:
    server = await start()
    ann, ben = await members(server, connect_guest, "ann", "ben")
    room = await room_of(ann, ben, rated=True)
    ids: list[tuple[Guest, int]] = [(ben, await ben.send("resign", room=room)) for _ in range(5)]
    if both:
        ids.append((ann, await ann.send("resign", room=room)))
    answers = [await guest.answer(id) for guest, id in ids]
    assert [answer["type"] for answer in answers].count("ok") == 1
    rows = await asyncio.gather(
        *(server.app.store.rating_history("cohcoh", f"p-{name}", None, 9) for name in ("ann", "ben"))
    )
    assert [len(row) for row in rows] == [1, 1]
