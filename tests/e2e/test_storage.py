"""A full disk and a locked file: commands are refused, and no acknowledged move is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from server import server as server_module
from server.app import Running, running
from server.config import Settings
from server.storage.interface import StoreError
from server.storage.sqlite.store import SqliteStore
from tests.e2e.clock import Clock
from tests.e2e.conftest import ConnectGuest, Spawn, Start
from tests.e2e.guest import Message
from tests.e2e.pages import get
from tests.e2e.play import move, room_of
from tests.waiting import TIMEOUT_S


def store_of(server: Running) -> SqliteStore:
    store = server.app.store
    assert isinstance(store, SqliteStore)
    return store


async def test_full_disk_refuses_moves_and_loses_none(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    store = store_of(server)
    [(pages,)] = await store._read("PRAGMA page_count")
    await store._write(f"PRAGMA max_page_count = {pages}")
    answer: Message = {}
    while answer.get("code") != "unavailable":  # until the last page is full
        answer = await ben.answer(await ben.send("say", room=room, text="x" * 500))
    assert "full" in answer["text"]
    assert answer["retry_after"] > 0
    refused = await ben.refused("move", room=room, ply=1, move="b1", note="y" * 500)
    assert refused["code"] == "unavailable"
    assert (await get(server.url, "/healthz"))[0] == 503
    await store._write("PRAGMA max_page_count = 1000000")
    await move(ben, room, 1, "b1")
    assert (await ann.find(type="moved", ply=2))["move"] == "b1"
    assert (await get(server.url, "/healthz")) == (200, "ok\n")


async def test_server_is_healthy_again_when_its_store_is(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "STORE_RECOVERY_S", 0.1)
    server = await start()
    ann = await connect_guest(server.url, "ann")
    await store_of(server)._write("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert (await ann.refused("create", game="conga"))["code"] == "unavailable"
        assert (await get(server.url, "/healthz"))[0] == 503
        other.execute("COMMIT")
    async with asyncio.timeout(TIMEOUT_S):
        while (await get(server.url, "/healthz"))[0] != 200:
            pass


async def test_server_with_a_locked_file_stops_in_time(
    spawn: Spawn, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await spawn()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        ids = [await ann.send("say", room=room, text=f"line {number}") for number in range(8)]
        await ann.send("leave", room="none")  # answered from memory, so all messages before it have arrived
        await ann.find(type="error", code="no_room")
        assert await server.terminate() == 0
    with suppress(ConnectionClosed):  # on a busy machine, the server may give up before the store does
        for id in ids:
            assert (await ann.answer(id))["code"] == "unavailable"
    again = await spawn()
    events = (await (await connect_guest(again.url, "eve")).ask("watch", room=room))["seq"]
    assert events > 0


def children(number: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the writer process in /proc")
async def test_server_with_a_hanging_disk_and_a_stalled_client_stops_in_time(
    spawn: Spawn, connect_guest: ConnectGuest
) -> None:
    server = await spawn()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    eve.socket.transport.pause_reading()
    [writer] = children(server.process.pid)
    os.kill(writer, signal.SIGSTOP)
    await ann.send("move", room=room, ply=0, move="a1")
    await ann.ask("list")  # so the move has arrived
    assert await server.terminate() == 0


async def test_locked_file_refuses_moves_and_loses_none(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await store_of(server)._write("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused = await ann.refused("move", room=room, ply=0, move="a1")
    assert (refused["code"], "locked" in refused["text"]) == ("unavailable", True)
    assert (await ann.refused("create", game="conga"))["code"] == "unavailable"
    other.execute("COMMIT")
    other.close()
    await move(ann, room, 0, "a1")
    await ben.find(type="moved", ply=1)


async def test_flag_falls_even_if_the_store_was_unavailable_at_that_moment(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    clock = Clock()
    server = await start(clock=clock, rate=1e6, burst=100_000)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    await store_of(server)._write("PRAGMA busy_timeout = 10")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 60_000})
    other = sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    live = server.app.registry.rooms[room]
    assert (await ann.refused("move", room=room, ply=0, move="zz"))["code"] == "invalid_notation"
    clock.pass_at_work(server.app.status, 120)
    server.app.timers._fired(live)  # the timer uses the real clock
    while not server.app.status.store_error:  # the timer fired, but could not write
        await ann.ask("list")
    other.execute("COMMIT")
    other.close()
    assert (await ann.find(type="ended"))["reason"] == "time"
    assert live.room.status == "ended"


async def test_second_server_on_the_same_file_is_refused(spawn: Spawn, tmp_path: Path) -> None:
    first = await spawn()
    database, link = tmp_path / "parlour.db", tmp_path / "link.db"
    link.symlink_to(database)
    for path in (database, link):
        with pytest.raises(StoreError, match="in use by another server"):
            async with running(Settings(port=0, db=str(path))):
                pass
    await first.kill()
    for path in (database, link):
        async with running(Settings(port=0, db=str(path))):
            pass
