"""`parlour serve --workers`: one port, one writer process, and a parent process that restarts what dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from parlour.cli.main import main
from protocol.codec import decode_event
from protocol.events import AnyEvent, Resumed
from server.config import BadSetting, Settings, read_settings
from server.storage.sqlite.store import SqliteStore
from server.workers.sockets import close_all, open_sockets
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start
from tests.parlour.test_serve import serve as run_serve
from tests.waiting import TIMEOUT_S, until
from tests.workers.process import WorkersProcess, children, is_running

StartServer = Callable[..., Awaitable[WorkersProcess]]


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[StartServer]:
    """Start servers with workers on one database. They are killed at the end of the test."""
    servers: list[WorkersProcess] = []

    async def begin(*flags: str, **environment: Any) -> WorkersProcess:
        server = await WorkersProcess.start(tmp_path / "parlour.db", *flags, **environment)
        servers.append(server)
        return server

    yield begin
    for server in servers:
        await server.stop()


async def resume(server: WorkersProcess, worker: int, guest: Guest) -> Guest:
    """Reconnect a guest to a worker."""
    back = await server.connection(worker)
    await back.hello(resume=guest.session)
    return back


async def test_worker_that_dies_is_restarted_and_takes_up_its_rooms(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(0, "ben", "json")
    eve = await server.guest(1, "eve")
    room = await room_of(ann, ben, "maxconnect4")
    await eve.ask("watch", room=room)
    await play(ann, ben, room, "1", "2", "3")
    await server.kill_worker(0)
    ann, ben = await resume(server, 0, ann), await resume(server, 1, ben)
    for guest in (ann, ben):
        assert (await guest.find(type="snapshot", room=room))["ply"] == 3
    await move(ben, room, 3, "4")
    assert (await ann.find(type="moved", ply=4))["move"] == "4"
    assert [(await eve.find(type="moved"))["ply"] for _ in range(4)] == [1, 2, 3, 4]


async def test_players_of_a_dead_worker_are_away_until_they_return(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    await room_of(ann, ben)
    await server.kill_worker(0)
    assert not (await ben.find(type="presence", seat=0)).get("online", False)
    ann = await resume(server, 0, ann)
    assert (await ben.find(type="presence", seat=0))["online"]
    assert ann.you["name"] == "ann"


async def test_downtime_without_any_worker_began_with_the_last_heartbeat(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    await room_of(ann, ben)
    with closing(sqlite3.connect(server.db)) as db:
        ((earlier,),) = db.execute("SELECT max(alive_at) FROM nodes")
        oldest = "SELECT min(alive_at) FROM nodes"
        await until("both workers have sent a heartbeat", lambda: db.execute(oldest).fetchone()[0] > earlier)
        count = "SELECT count(*) FROM downtimes"
        assert db.execute(count).fetchone()[0] == 1, "that of the first start"
        for pid in server.workers().values():
            os.kill(pid, signal.SIGKILL)
        await until("the downtime is recorded", lambda: db.execute(count).fetchone()[0] == 2)
        assert db.execute("SELECT max(began) FROM downtimes").fetchone()[0] > earlier


async def test_sigterm_drains_all_workers_and_games_continue_after_a_restart(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    room = await room_of(ann, ben, "maxconnect4", clock={"kind": "fischer", "base": 60_000})
    await play(ann, ben, room, "1", "2")
    processes = children(server.pid)
    assert len(processes) == 3
    server.process.terminate()
    for guest in (ann, ben):
        assert (await guest.find(type="closing"))["retry_after"] > 0
        assert await guest.closed() == 1012
    assert await asyncio.wait_for(server.process.wait(), TIMEOUT_S) == 0
    assert not any(map(is_running, processes))
    again = await serve()
    ann = await resume(again, 1, ann)
    assert (await ann.find(type="snapshot", room=room))["ply"] == 2
    assert await count_events(again, room, Resumed) == 1


async def count_events(server: WorkersProcess, room: str, kind: type[AnyEvent]) -> int:
    """Return how many events of a kind the log of a room has."""
    store = SqliteStore(server.db)
    await store.open(read_only=True)
    events = [decode_event(payload) for payload in await store.events(room)]
    await store.close()
    return sum(isinstance(event, kind) for event in events)


async def test_neither_processes_nor_files_outlive_a_parent_that_is_killed(serve: StartServer, folder: str) -> None:
    server = await serve(TMPDIR=folder)
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2", "3")
    processes = children(server.pid)
    assert len(processes) == 3
    os.kill(server.pid, signal.SIGKILL)
    await server.process.wait()
    await until("all processes have ended", lambda: not any(map(is_running, processes)))
    await until("their files are removed", lambda: not os.listdir(folder))  # noqa: PTH208
    again = await serve()
    ben = await resume(again, 0, ben)
    assert (await ben.find(type="snapshot", room=room))["ply"] == 3


async def test_house_bots_are_started_once_and_play_with_players_of_every_worker(serve: StartServer) -> None:
    server = await serve("--house", "random")
    guests = [await server.guest(worker, f"g{worker}") for worker in (0, 1)]
    for guest in guests:
        await guest.ask("create", game="maxconnect4", seat=0, invite="random")
        await guest.find(type="started")
    bots = [pid for pid in children(server.pid) if "bot" in command_words(pid)]
    assert len(bots) == 1


def command_words(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


async def test_every_worker_answers_for_health_and_metrics(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2", "3")
    for _ in range(4):
        assert await get(server.url, "/healthz") == (200, "ok\n")
        async with asyncio.timeout(TIMEOUT_S):
            while "parlour_moves_total 3\n" not in (await get(server.url, "/metrics"))[1]:
                pass  # the other worker has not answered in time


async def test_counters_do_not_fall_while_workers_are_restarted(serve: StartServer) -> None:
    server = await serve()
    ann, ben = await server.guest(0, "ann"), await server.guest(1, "ben")
    room = await room_of(ann, ben, "maxconnect4")
    await play(ann, ben, room, "1", "2", "3")
    async with asyncio.timeout(TIMEOUT_S):
        while await reported_moves(server) != 3:
            pass  # the other worker has not answered in time
    for worker in (0, 1):
        await server.kill_worker(worker)
        assert [await reported_moves(server) for _ in range(4)] == [3] * 4
    ben = await resume(server, 1, ben)
    await move(ben, room, 3, "4")
    async with asyncio.timeout(TIMEOUT_S):
        while await reported_moves(server) != 4:
            pass


async def reported_moves(server: WorkersProcess) -> int:
    """Return the number of moves on the metrics page."""
    _, text = await get(server.url, "/metrics")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("parlour_moves_total "))


async def test_second_server_on_the_port_is_refused(
    serve: StartServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = await serve()
    port = server.url.split(":")[-1].split("/")[0]
    flags = ["--port", port, "--db", str(tmp_path / "other.db"), "--house", "none", "--workers", "2"]
    assert await asyncio.to_thread(main, ["serve", *flags]) == 2
    assert "is in use, perhaps by another server" in capsys.readouterr().err
    assert not (tmp_path / "other.db").exists()


def test_worker_that_cannot_start_ends_the_server_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("cert", "key"):
        (tmp_path / name).write_text("not PEM")
    flags = ["--port", "0", "--db", str(tmp_path / "a.db"), "--house", "none", "--workers", "2"]
    tls = ["--tls-cert", str(tmp_path / "cert"), "--tls-key", str(tmp_path / "key")]
    assert main(["serve", *flags, *tls]) == 2
    assert "they should be a certificate and its key, in PEM files" in capsys.readouterr().err


def test_logs_say_which_worker(tmp_path: Path) -> None:
    _, err = run_serve(tmp_path, "--workers", "2", "--log", "json")
    events = [json.loads(line) for line in err.splitlines()]
    ready = [event["worker"] for event in events if event["event"] == "worker_ready"]
    assert ready == [0, 1]
    assert [event["workers"] for event in events if event["event"] == "listening"] == [2]


@pytest.mark.parametrize("reuse_port", ["own sockets", None])
def test_workers_listen_on_one_port(reuse_port: str | None) -> None:
    settings = Settings(port=0, host="localhost")
    sockets = open_sockets(settings, 3) if reuse_port else open_sockets(settings, 3, None)
    ports = {listener.getsockname()[1] for listeners in sockets for listener in listeners}
    descriptors = {listener.fileno() for listeners in sockets for listener in listeners}
    assert len(ports) == 1
    assert len(descriptors) == len(sockets[0]) * (3 if reuse_port else 1)
    for listeners in sockets:
        close_all(listeners)


async def test_workers_can_share_one_listening_socket(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers listen like this where SO_REUSEPORT is missing."""
    ((listener,), *_) = open_sockets(Settings(port=0), 2, None)
    monkeypatch.setattr("tests.workers.conftest.open_sockets", lambda *args: [[listener.dup()]])
    left, right = await start(workers=2), await start(workers=2)
    listener.close()
    assert left.url == right.url
    for n in range(6):
        await connect_guest(left.url, f"g{n}")
    assert len(left.app.server.connections) + len(right.app.server.connections) == 6


@pytest.mark.parametrize("text", ["0", "-1", "two", "", "1.5", "1000"])
def test_number_of_workers_is_checked(text: str) -> None:
    with pytest.raises(BadSetting, match="--workers must be a number from 1 to 256, or auto"):
        read_settings({"workers": text}, {})


def test_auto_leaves_a_core_to_the_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, workers in ((1, 1), (2, 1), (8, 7)):
        monkeypatch.setattr("server.config.usable_cores", lambda cores=cores: cores)
        assert read_settings({}, {"PARLOUR_WORKERS": "auto"}).worker_count == workers
    assert Settings().worker_count == 1
