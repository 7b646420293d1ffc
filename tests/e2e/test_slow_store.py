"""A store that takes its time: nobody pays for it with time, or with a seat."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from server.app import Running
from server.handlers.dispatcher import MOST_WAITING
from server.rooms.processor import RETRY
from server.storage.sqlite.store import SqliteStore
from tests.e2e.clock import Clock
from tests.e2e.conftest import Come, Start
from tests.e2e.parlours import until
from tests.e2e.play import room_of

PER_MOVE = 60_000
AT_ONCE = 10  # milliseconds


@asynccontextmanager
async def held(server: Running, folder: Path, patience: int = 60_000) -> AsyncIterator[None]:
    """Nothing is written as long as this lasts; what has waited for so many milliseconds is refused."""
    store = server.house.store
    assert isinstance(store, SqliteStore)
    await store._write(f"PRAGMA busy_timeout = {patience}")
    other = sqlite3.connect(folder / "parlour.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("COMMIT")
        other.close()


async def test_talk_costs_no_player_time(start: Start, come: Come, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben, eve = [await come(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE})
    live, hall = server.house.hall.rooms[room], server.house.hall
    await eve.ask("watch", room=room)
    async with held(server, tmp_path):
        lines = [await eve.send("say", room=room, text=f"line {n}") for n in range(MOST_WAITING + 3)]
        assert (await eve.answer(lines[-1]))["code"] == "rate_limited"
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move waits", lambda: len(live.queue) > MOST_WAITING)
        clock.pass_by(2 * PER_MOVE / 1000)
        assert hall.now() > (live.room.deadline or 0), "its time is up"
    assert (await ann.answer(asked))["type"] == "ok"
    assert (await ben.find(type="moved"))["took"] < PER_MOVE
    assert [(await eve.answer(line))["type"] for line in lines[:-1]].count("ok") == MOST_WAITING + 1


async def test_who_is_gone_before_the_seat_is_written_is_away(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    live, hall = server.house.hall.rooms[room], server.house.hall
    async with held(server, tmp_path):
        await ben.send("join", room=room)
        await until("the seat is being written", lambda: live.busy)
        ben.socket.transport.abort()
        begin = hall.now()
        await until("nobody waits as long as that for an answer", lambda: hall.now() > begin + RETRY * 1000 + 100)
    assert (await ann.find(type="presence"))["seat"] == 1
    assert not live.players[1]


async def test_a_pair_that_takes_long_is_a_pair(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("pair", game="cohcoh"))["room"]
    live, hall = server.house.hall.rooms[room], server.house.hall
    async with held(server, tmp_path):
        asked = await ben.send("pair", game="cohcoh")
        await until("the seat is being written", lambda: live.busy)
        begin = hall.now()
        await until("nobody waits as long as that for an answer", lambda: hall.now() > begin + RETRY * 1000 + 100)
    assert (await ben.answer(asked))["room"] == room
    assert (await ben.find(type="snapshot"))["status"] == "running"


async def test_a_turn_begins_when_the_move_before_it_is_told(start: Start, come: Come, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE})
    live = server.house.hall.rooms[room]
    async with held(server, tmp_path):
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move is being written", lambda: live.busy)
        clock.pass_by(2 * PER_MOVE / 1000)  # ben would be out of time
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", ply=1)
    await ben.ask("move", room=room, ply=1, move="b1")
    assert (await ann.find(type="moved", ply=2))["took"] < PER_MOVE
    clock.pass_by(2 * PER_MOVE / 1000)
    assert (await ann.refused("move", room=room, ply=2, move="c1"))["code"] == "too_late", "ann knows of her turn"
    assert (await ben.find(type="ended"))["winner"] == 1


async def test_a_store_that_refuses_costs_no_player_time(start: Start, come: Come, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE})
    hall = server.house.hall
    async with held(server, tmp_path, AT_ONCE):
        for _ in range(2):
            assert (await ann.refused("move", room=room, ply=0, move="a1"))["code"] == "unavailable"
            clock.pass_by(PER_MOVE / 1000)
            hall.alarms._fired(hall.rooms[room])
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="moved"))["took"] < PER_MOVE


async def test_nor_does_one_that_nobody_wanted_to_write_to(start: Start, come: Come, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock, sweep=0.01)
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE})
    hall = server.house.hall
    async with held(server, tmp_path, AT_ONCE):
        await until("the house notices", lambda: bool(hall.failing))
        clock.pass_by(2 * PER_MOVE / 1000)
    await until("it notices that too", lambda: not hall.failing)
    shown = hall.rooms[room].snapshot(next(iter(hall.rooms[room].players[0])), hall.now())
    assert shown.elapsed < PER_MOVE
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="moved"))["took"] < PER_MOVE


async def test_who_goes_while_nothing_can_be_written_is_away_afterwards(
    start: Start, come: Come, tmp_path: Path
) -> None:
    server = await start()
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    async with held(server, tmp_path, AT_ONCE):
        ann.socket.transport.abort()
        await until("that she is gone could not be written", lambda: bool(server.house.hall.failing))
    await ben.ask("say", room=room, text="where are you?")
    assert (await ben.find(type="presence"))["seat"] == 0


async def test_an_outage_is_over_with_the_turn_also_without_a_clock(start: Start, come: Come, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await come(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    async with held(server, tmp_path, AT_ONCE):
        assert (await ann.refused("move", room=room, ply=0, move="a1"))["code"] == "unavailable"
        clock.pass_by(600)
        assert server.house.hall.alive_at() < server.house.hall.now() - 599_000, "a restart would credit that"
    await ann.ask("move", room=room, ply=0, move="a1")
    clock.pass_by(30)
    await ben.ask("move", room=room, ply=1, move="b1")
    assert [(await ben.find(type="moved", ply=ply))["took"] // 10_000 for ply in (1, 2)] == [0, 3]
