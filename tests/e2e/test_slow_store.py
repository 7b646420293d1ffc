"""A slow store costs no player time on the clock or a seat."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from server.app import Running
from server.rooms.chat import MAX_QUEUED_FOR_CHAT
from server.rooms.status import RETRY_AFTER_S
from server.storage.sqlite.store import SqliteStore
from tests.e2e.clock import Clock
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.local_server import until
from tests.e2e.play import room_of

PER_MOVE_MS = 60_000
SHORT_TIMEOUT_MS = 10


@asynccontextmanager
async def locked_database(server: Running, folder: Path, busy_timeout_ms: int = 60_000) -> AsyncIterator[None]:
    """Lock the database: nothing is written in this block, and writes fail after the timeout."""
    store = server.app.store
    assert isinstance(store, SqliteStore)
    await store._write(f"PRAGMA busy_timeout = {busy_timeout_ms}")
    other = sqlite3.connect(folder / "parlour.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("COMMIT")
        other.close()


async def test_chat_in_the_queue_costs_no_player_time(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    clock = Clock()
    server = await start(clock=clock, chat_burst=1000)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE_MS})
    live, app = server.app.registry.rooms[room], server.app
    await eve.ask("watch", room=room)
    async with locked_database(server, tmp_path):
        lines = [await eve.send("say", room=room, text=f"line {n}") for n in range(MAX_QUEUED_FOR_CHAT + 3)]
        assert (await eve.answer(lines[-1]))["code"] == "rate_limited"
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move waits", lambda: len(live.queue) > MAX_QUEUED_FOR_CHAT)
        clock.pass_by(2 * PER_MOVE_MS / 1000)
        assert app.now() > (live.room.deadline or 0), "its time is up"
    assert (await ann.answer(asked))["type"] == "ok"
    assert (await ben.find(type="moved"))["took"] < PER_MOVE_MS
    assert [(await eve.answer(line))["type"] for line in lines[:-1]].count("ok") == MAX_QUEUED_FOR_CHAT + 1


async def test_player_who_disconnects_before_the_seat_is_stored_is_away(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    live, app = server.app.registry.rooms[room], server.app
    async with locked_database(server, tmp_path):
        await ben.send("join", room=room)
        await until("the seat is being written", lambda: live.busy)
        ben.socket.transport.abort()
        begin = app.now()
        await until("longer than any client waits for a reply", lambda: app.now() > begin + RETRY_AFTER_S * 1000 + 100)
    assert (await ann.find(type="presence"))["seat"] == 1
    assert not live.players[1]


async def test_slow_pairing_succeeds(start: Start, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = (await ann.ask("pair", game="cohcoh"))["room"]
    live, app = server.app.registry.rooms[room], server.app
    async with locked_database(server, tmp_path):
        asked = await ben.send("pair", game="cohcoh")
        await until("the seat is being written", lambda: live.busy)
        begin = app.now()
        await until("longer than any client waits for a reply", lambda: app.now() > begin + RETRY_AFTER_S * 1000 + 100)
    assert (await ben.answer(asked))["room"] == room
    assert (await ben.find(type="snapshot"))["status"] == "running"


async def test_turn_starts_when_the_previous_move_is_sent(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE_MS})
    live = server.app.registry.rooms[room]
    async with locked_database(server, tmp_path):
        asked = await ann.send("move", room=room, ply=0, move="a1")
        await until("the move is being written", lambda: live.busy)
        clock.pass_by(2 * PER_MOVE_MS / 1000)  # ben would be out of time
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", ply=1)
    await ben.ask("move", room=room, ply=1, move="b1")
    assert (await ann.find(type="moved", ply=2))["took"] < PER_MOVE_MS
    clock.pass_at_work(server.app.status, 2 * PER_MOVE_MS / 1000)
    assert (await ann.refused("move", room=room, ply=2, move="c1"))["code"] == "too_late", (
        "ann knows that it is her turn"
    )
    assert (await ben.find(type="ended"))["winner"] == 1


async def test_failing_store_costs_no_player_time(start: Start, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE_MS})
    app = server.app
    async with locked_database(server, tmp_path, SHORT_TIMEOUT_MS):
        for _ in range(2):
            assert (await ann.refused("move", room=room, ply=0, move="a1"))["code"] == "unavailable"
            clock.pass_by(PER_MOVE_MS / 1000)
            app.timers._fired(app.registry.rooms[room])
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="moved"))["took"] < PER_MOVE_MS


async def test_outage_without_commands_costs_no_player_time(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    clock = Clock()
    server = await start(clock=clock, sweep=0.01)
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": PER_MOVE_MS})
    app = server.app
    async with locked_database(server, tmp_path, SHORT_TIMEOUT_MS):
        await until("the server notices the outage", lambda: bool(app.status.store_error))
        clock.pass_by(2 * PER_MOVE_MS / 1000)
    await until("the server notices the recovery", lambda: not app.status.store_error)
    live = app.registry.rooms[room]
    shown = live.snapshot(live.players[0][0], 0, app.now())
    assert shown.elapsed < PER_MOVE_MS
    await ann.ask("move", room=room, ply=0, move="a1")
    assert (await ben.find(type="moved"))["took"] < PER_MOVE_MS


async def test_player_who_disconnects_during_an_outage_is_away_afterwards(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    async with locked_database(server, tmp_path, SHORT_TIMEOUT_MS):
        ann.socket.transport.abort()
        await until("her absence could not be stored", lambda: bool(server.app.status.store_error))
    await ben.ask("say", room=room, text="where are you?")
    assert (await ben.find(type="presence"))["seat"] == 0


async def test_outage_ends_with_the_turn_even_without_a_clock(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben)
    async with locked_database(server, tmp_path, SHORT_TIMEOUT_MS):
        assert (await ann.refused("move", room=room, ply=0, move="a1"))["code"] == "unavailable"
        clock.pass_by(600)
        assert server.app.status.worked_until() < server.app.now() - 599_000, "a restart would credit that"
    await ann.ask("move", room=room, ply=0, move="a1")
    clock.pass_at_work(server.app.status, 30)
    await ben.ask("move", room=room, ply=1, move="b1")
    assert [(await ben.find(type="moved", ply=ply))["took"] // 10_000 for ply in (1, 2)] == [0, 3]
