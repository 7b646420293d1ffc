"""The writer process: it is killed, its server is killed, or it gets a signal."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from pathlib import Path

import pytest

from server.app import Running
from server.rooms import status
from server.storage.retention import Retention
from server.storage.sqlite import supervisor
from server.storage.sqlite.store import SqliteStore
from tests.e2e.conftest import ConnectGuest, Spawn, Start
from tests.e2e.local_server import until
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.waiting import TIMEOUT_S

CELLS = [f"{file}{rank}" for rank in (1, 3) for file in "ace"] + [f"{file}{rank}" for rank in (2, 4) for file in "bdf"]


def writer_pid(server: Running) -> int:
    store = server.app.store
    assert isinstance(store, SqliteStore)
    assert store._writer is not None
    pid = store._writer.pid
    assert pid is not None
    return pid


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


async def test_games_continue_when_the_writer_process_is_killed(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every move is acknowledged once, or refused and played again, and it is in the log."""
    monkeypatch.setattr(supervisor.WriterSupervisor, "restart_delay_s", 0.01)
    server = await start(rate=1e6, burst=100_000)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben, options={"n": 6, "k": 6})
    pids = set()
    for ply, cell in enumerate(CELLS):
        guest, other = (ann, ben) if ply % 2 == 0 else (ben, ann)
        pids.add(writer_pid(server))
        id = await guest.send("move", room=room, ply=ply, move=cell)
        os.kill(writer_pid(server), signal.SIGKILL)
        answer = await guest.answer(id)
        while answer["type"] == "error" and answer["code"] == "unavailable":
            assert "writer process" in answer["text"]
            answer = await guest.answer(await guest.send("move", room=room, ply=ply, move=cell))
        assert answer["type"] == "ok" or answer["code"] == "stale"  # it was written before the process died
        assert (await other.find(type="moved", ply=ply + 1))["move"] == cell
    assert len(pids) > 1
    eve = await connect_guest(server.url, "eve")
    await eve.ask("watch", room=room)
    assert [made["move"] for made in (await eve.find(type="snapshot"))["moves"]] == CELLS


async def test_writer_process_exits_when_its_server_is_killed(spawn: Spawn, connect_guest: ConnectGuest) -> None:
    server = await spawn()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    [child] = children(server.process.pid)
    await server.kill()
    await until("the writer process is gone", partial(is_gone, child))
    again = await spawn()
    assert (await (await connect_guest(again.url, "eve")).ask("watch", room=room))["seq"] > 4


async def test_server_is_unhealthy_while_the_writer_process_hangs(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Retention, "run", lambda self: asyncio.Event().wait())  # it would write, as a sweep would
    server = await start(sweep=1000.0)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await server.app.store.flush()
    os.kill(writer_pid(server), signal.SIGSTOP)
    monkeypatch.setattr(status, "MAX_WRITE_AGE_S", 0.2)
    assert await get(server.url, "/healthz") == (200, "ok\n"), "there is nothing to write"
    asked = await ann.send("move", room=room, ply=0, move="a1")
    async with asyncio.timeout(TIMEOUT_S):
        while (page := await get(server.url, "/healthz"))[0] == 200:
            pass
    assert page[0] == 503
    assert page[1] == f"the store fails: {status.HANGS}\n"
    os.kill(writer_pid(server), signal.SIGCONT)
    assert (await ann.answer(asked))["type"] == "ok"
    assert await get(server.url, "/healthz") == (200, "ok\n")


async def test_writer_process_ignores_signals(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    before = writer_pid(server)
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(before, number)
    await move(ann, room, 0, "a1")
    assert writer_pid(server) == before
