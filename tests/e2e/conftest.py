"""Servers with real sockets: in this process for most tests, as a process for tests that kill them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from server.app import Running, running
from server.config import Settings
from server.rooms.timers import Now, now
from tests.e2e.guest import Guest
from tests.waiting import TIMEOUT_S

Start = Callable[..., Awaitable[Running]]
ConnectGuest = Callable[..., Awaitable[Guest]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start servers in this process. They stop at the end of the test."""
    async with AsyncExitStack() as stack:

        async def begin(clock: Now = now, **settings: Any) -> Running:
            chosen = Settings(port=0, db=str(tmp_path / "parlour.db"), **{"sweep": 0.05, **settings})
            return await stack.enter_async_context(running(chosen, clock))

        yield begin


@pytest.fixture
async def connect_guest() -> AsyncIterator[ConnectGuest]:
    """Connect guests to a url and say hello. They disconnect at the end of the test."""
    guests: list[Guest] = []

    async def open_guest(url: str, name: str = "", codec: str = "msgpack", **hello: Any) -> Guest:
        guest = await Guest.open(url, codec)
        guests.append(guest)
        await guest.hello(name, **hello)
        return guest

    yield open_guest
    for guest in guests:
        guest.socket.transport.abort()


class Process:
    """A process that runs `parlour serve`."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process, self.url = process, url

    @classmethod
    async def start(cls, db: Path | str, *flags: str, **environment: str) -> Process:
        command = [sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", str(db), *flags]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PARLOUR_LOG_LEVEL": "error", "PARLOUR_HOUSE": "none", **environment},
        )
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)).decode()
        assert line.startswith("parlour: listening on ws"), line
        return cls(process, line.split()[-1])

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()

    async def terminate(self) -> int:
        self.process.terminate()
        return await asyncio.wait_for(self.process.wait(), TIMEOUT_S)


Spawn = Callable[..., Awaitable[Process]]


@pytest.fixture
async def spawn(tmp_path: Path) -> AsyncIterator[Spawn]:
    """Start `parlour serve` processes on one database. They are killed at the end of the test."""
    processes: list[Process] = []

    async def begin(*flags: str, **environment: str) -> Process:
        process = await Process.start(tmp_path / "parlour.db", *flags, **environment)
        processes.append(process)
        return process

    yield begin
    for process in processes:
        if process.process.returncode is None:
            await process.kill()
