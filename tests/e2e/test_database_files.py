"""The database's files: a start after kill -9, and a file that is deleted or replaced under a running server."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.local_server import until
from tests.e2e.pages import get
from tests.e2e.play import move, room_of
from tests.e2e.test_writer_process import children, is_gone, writer_pid
from tests.waiting import TIMEOUT_S

Serve = Callable[..., Awaitable["Serving"]]
COMPILER = shutil.which("cc")
SLOW_DISK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static int flush(const char *name, int fd) {
    while (access(getenv("FLUSHES_WAIT_FOR"), F_OK) == 0) {
        close(open(getenv("FLUSH_WAITS"), O_CREAT | O_WRONLY, 0600));
        usleep(10000);
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
"""


class Serving:
    """A `parlour serve` process with its log in a file."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process, self._log = process, log

    def events(self) -> list[dict[str, object]]:
        """Return the lines of the log so far. Fails if one is not JSON, such as a line of a traceback."""
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def has_logged(self, event: str) -> bool:
        return any(line["event"] == event for line in self.events())

    async def url(self) -> str:
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), TIMEOUT_S)
        assert line, self._log.read_text()
        return line.decode().split()[-1]


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """Start `parlour serve` processes on one database, without waiting until they listen."""
    started: list[Serving] = []

    async def begin(**environment: str) -> Serving:
        log = tmp_path / f"log{len(started)}"
        words = ["serve", "--port", "0", "--db", str(tmp_path / "parlour.db"), "--house", "none", "--log", "json"]
        words += ["--sweep", "1000"]  # a heartbeat would be written too
        with log.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "parlour", *words,
                env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE, stderr=file,
            )  # fmt: skip
        started.append(Serving(process, log))
        return started[-1]

    yield begin
    for serving in started:
        with suppress(ProcessLookupError):
            serving.process.kill()
        await serving.process.wait()


def has_renewed_sessions(db: Path) -> bool:
    """Return whether the first run of retention has only one write left."""
    with closing(sqlite3.connect(db)) as reader:
        return bool(reader.execute("SELECT 1 FROM retention WHERE task = 'renewed'").fetchall())


async def test_start_waits_for_the_writer_of_a_killed_server(
    serve: Serve, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    """A move that the killed server had sent to its writer process is in the game before the next server loads it."""
    first = await serve()
    url = await first.url()
    ann, ben = await connect_guest(url, "ann"), await connect_guest(url, "ben")
    room = await room_of(ann, ben)
    await until("retention is at its last write", partial(has_renewed_sessions, tmp_path / "parlour.db"))
    for text in ("hello", "good luck"):  # the second is stored after the last write of retention
        await ann.ask("say", room=room, text=text)
    [writer] = children(first.process.pid)
    os.kill(writer, signal.SIGSTOP)  # a disk that does not answer
    try:
        await ann.send("move", room=room, ply=0, move="a1")
        for _ in range(2):  # the first answer may come before the loop iteration that sends the move to the writer
            await ann.ask("list")
        first.process.kill()
        await first.process.wait()
        second = await serve()
        await until("the server says what it waits for", partial(second.has_logged, "waiting_for_writer"))
        assert not second.has_logged("listening")
    finally:
        os.kill(writer, signal.SIGCONT)
    again = await connect_guest(await second.url(), "ann", resume=ann.session)
    snapshot = await again.find(type="snapshot")
    assert [made["move"] for made in snapshot["moves"]] == ["a1"]
    assert second.has_logged("writer_finished")
    await until("the writer process is gone", partial(is_gone, writer))
    assert all("trace" not in line for line in first.events()), "it was written without a server, and without a word"


@pytest.mark.skipif(COMPILER is None or sys.platform != "linux", reason="needs a C compiler and LD_PRELOAD")
async def test_start_waits_for_the_checkpoint_of_a_writer_that_exits(
    serve: Serve, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    """While the last connection closes, its checkpoint locks the file, for as long as the disk takes to flush."""
    library, wait, waits = tmp_path / "slow_disk.so", tmp_path / "wait", tmp_path / "waits"
    build = await asyncio.create_subprocess_exec(
        str(COMPILER), "-shared", "-fPIC", "-x", "c", "-o", str(library), "-", "-ldl", stdin=asyncio.subprocess.PIPE
    )
    await build.communicate(SLOW_DISK.encode())
    assert build.returncode == 0
    folder = os.open(tmp_path, os.O_RDONLY)
    preload = f"/proc/{os.getpid()}/fd/{folder}/{library.name}"  # LD_PRELOAD cannot name a folder with spaces
    try:
        first = await serve(LD_PRELOAD=preload, FLUSHES_WAIT_FOR=str(wait), FLUSH_WAITS=str(waits))
        await connect_guest(await first.url(), "ann")
    finally:
        os.close(folder)
    [writer] = children(first.process.pid)
    wait.touch()
    try:
        first.process.kill()
        await first.process.wait()
        await until("the checkpoint waits for the disk", waits.exists)
        second = await serve()
        await until("the server says what it waits for", partial(second.has_logged, "waiting_for_writer"))
        assert not is_gone(writer)
    finally:
        wait.unlink()
    await second.url()
    assert second.has_logged("writer_finished")


@pytest.mark.parametrize("replaced", [False, True])
async def test_missing_database_is_noticed_and_moves_are_refused(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path, replaced: bool
) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    file, aside = tmp_path / "parlour.db", tmp_path / "aside.db"
    file.rename(aside)
    if replaced:
        file.write_bytes(aside.read_bytes())
    refused = await ben.refused("move", room=room, ply=1, move="b1")
    assert refused["code"] == "unavailable"
    assert refused["retry_after"] > 0
    why = "was replaced by another file" if replaced else "was deleted"
    assert why in refused["text"]
    status, text = await get(server.url, "/healthz")
    assert (status, why in text) == (503, True)
    file.unlink(missing_ok=True)
    aside.rename(file)
    assert (await ben.answer(await ben.send("move", room=room, ply=1, move="b1")))["type"] in ("ok", "error")
    await ann.find(type="moved", ply=2)  # its first attempt was written, or the second one is


async def test_missing_database_is_noticed_without_any_move(start: Start, tmp_path: Path) -> None:
    server = await start()
    (tmp_path / "parlour.db").unlink()
    async with asyncio.timeout(TIMEOUT_S):
        while (page := await get(server.url, "/healthz"))[0] == 200:
            pass
    assert "was deleted: put it back" in page[1]


async def test_failure_of_the_writer_process_is_one_event_of_the_log(
    start: Start, connect_guest: ConnectGuest, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server = await start()
    stdin = os.open(f"/proc/{writer_pid(server)}/fd/0", os.O_WRONLY)
    os.write(stdin, b"\0\0\0\x03???")  # no marshalled message
    os.close(stdin)
    await until("it is logged", lambda: any(record.getMessage() == "writer_failed" for record in caplog.records))
    assert "Traceback" not in capfd.readouterr().err
