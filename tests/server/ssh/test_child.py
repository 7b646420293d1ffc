"""Processes of sessions: what goes in and out, and how they end. The program is a small Python module here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.ssh.child import MAX_UNREAD_BYTES, Child, Outlet
from server.ssh.spec import SessionSpec
from tests.waiting import TIMEOUT_S, until

PROGRAMS = {
    "echo": "import sys; print(sys.stdin.read(), end=''); print('oops', file=sys.stderr); sys.exit(3)",
    "wait": "import time; print('ready', flush=True); time.sleep(1000)",
    "flood": "import sys\nwhile True: sys.stdout.write('x' * 65536)",
    "orphan": "import os, time\nif not os.fork(): time.sleep(1000)\nprint('gone', flush=True)",
    "size": (  # a handler that prints could interrupt another print
        "import fcntl, os, signal, termios\n"
        "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
        "signal.signal(signal.SIGWINCH, lambda *_: None)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])\n"
        "while True:\n"
        "    print(*os.get_terminal_size(), flush=True)\n"
        "    signal.sigwait([signal.SIGWINCH])"
    ),
}


class Client:
    """Collects the output of a session."""

    def __init__(self) -> None:
        self.out, self.error = bytearray(), bytearray()
        self.pauses = 0

    def outlet(self) -> Outlet:
        return Outlet(self.out.extend, self.error.extend, self.pause, lambda: None)

    def pause(self) -> None:
        self.pauses += 1


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., object]]:
    """Start programs. They end with the test."""
    started: list[Child] = []

    async def begin(program: str, client: Client, terminal: bool = False) -> Child:
        (tmp_path / "session_program.py").write_text(PROGRAMS[program])
        spec = SessionSpec("", "", "", "", "", 0, terminal, 1, 1)
        given = {"PYTHONPATH": str(tmp_path), "TERM": "xterm"}
        started.append(await Child.start("session_program", spec, (80, 24), given, str(tmp_path), client.outlet()))
        return started[-1]

    yield begin
    for child in started:
        child.kill()


async def test_input_output_and_exit_status(start: Callable[..., asyncio.Future[Child]]) -> None:
    client = Client()
    child = await start("echo", client)
    text = "x" * (3 * MAX_UNREAD_BYTES)
    child.write(text.encode())
    child.end_input()
    assert await asyncio.wait_for(child.wait(), TIMEOUT_S) == 3
    assert (client.out.decode(), client.error.decode()) == (text, "oops\n")
    assert client.pauses, "the client had to wait"


async def test_terminal_has_a_size_that_changes(start: Callable[..., asyncio.Future[Child]]) -> None:
    client = Client()
    child = await start("size", client, True)
    await until("the size is shown", lambda: b"80 24" in client.out)
    child.resize((100, 0))
    await until("the new size is shown", lambda: b"100 1" in client.out)
    child.resize((10**9, 30))
    await until("the size is limited", lambda: b"1000 30" in client.out)
    child.kill()
    assert await asyncio.wait_for(child.wait(), TIMEOUT_S) == -signal.SIGKILL


async def test_unread_output_waits(start: Callable[..., asyncio.Future[Child]]) -> None:
    client = Client()
    child = await start("flood", client)
    await until("there is output", lambda: bool(client.out))
    child.pause_output()
    size = len(client.out)
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(client.out) == size
    child.resume_output()
    await until("there is more", lambda: len(client.out) > size)
    child.kill()
    assert await asyncio.wait_for(child.wait(), TIMEOUT_S) == -signal.SIGKILL


async def test_nothing_is_left_of_a_process_group(start: Callable[..., asyncio.Future[Child]]) -> None:
    client = Client()
    child = await start("orphan", client, True)
    assert await asyncio.wait_for(child.wait(), TIMEOUT_S) == 0
    assert b"gone" in client.out
    await until("the orphan is gone", lambda: not in_group(child._process.pid))


def in_group(group: int) -> list[str]:
    """Return the processes of a process group that are not zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = stat.read_text().rpartition(") ")[2].split()[:3]
        except OSError:
            continue
        if int(number) == group and state != "Z":
            found.append(stat.parent.name)
    return found
