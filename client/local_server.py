"""A server for one person: a child process that ends when we do, however we end.

Run as a module it *is* that child: it listens for the end of its standard input beside being `parlour`.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import signal
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from client.sdk.errors import NoServer
from runtime import child_process
from runtime.backoff import Backoff
from runtime.file_lock import try_lock
from runtime.paths import state_folder

STARTING = 20.0  # seconds
GRACE = 5.0  # seconds to leave
LASTING = 30.0  # seconds after which a server that dies was healthy
PAUSE = 0.05  # seconds between two looks at a lock
OCCUPIED = b"a person is here"  # what a lock says
REMEMBERED = 2  # bots of before; each is a process


class Place:
    """Where a private server keeps its games, so that the next one finds them; one at a time has it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder() / "private"
        self._lock = -1
        self.held: tuple[int, ...] = ()  # what a server of ours holds too, so that it has the place until it is gone
        self._passing: tempfile.TemporaryDirectory[str] | None = None

    def open(self) -> None:
        """The usual folder; one that passes away with us if somebody plays there, or it cannot be written."""
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if try_lock(self._lock):
                self.occupy()
                return
            os.close(self._lock)
            self._lock = -1
        self._passing = tempfile.TemporaryDirectory(prefix="parlour-")
        self.folder = Path(self._passing.name)

    async def reopen(self) -> None:
        """The usual folder and no other: wait until the server that had it last has left. NoServer if it does not."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise NoServer(f"cannot keep games in {self.folder}: {error.strerror or error}") from None
        for _ in range(int(2 * GRACE / PAUSE)):
            if try_lock(lock):
                os.truncate(lock, 0)
                self._lock = lock
                self.held = (lock,)
                return
            if os.pread(lock, len(OCCUPIED), 0) == OCCUPIED:
                os.close(lock)
                raise NoServer(
                    "somebody is at the private server, with parlour play or watch; try again when they have left"
                )
            await asyncio.sleep(PAUSE)
        os.close(lock)
        raise NoServer(f"another server is at work in {self.folder}")

    def occupy(self) -> None:
        """Tell whoever finds it locked that a person is here, and may be for long."""
        with suppress(OSError):
            os.write(self._lock, OCCUPIED)

    def bots(self, *wanted: str) -> tuple[str, ...]:
        """These bots and those of the last times, whom unfinished games may be against."""
        names = [*wanted]
        with suppress(OSError, UnicodeError):
            names += (self.folder / "bots").read_text(encoding="utf-8").split()
        return tuple(dict.fromkeys(names))[: len(wanted) + REMEMBERED]

    def remember(self, bots: tuple[str, ...]) -> None:
        """For the next time. Only bots that did come: a name that is wrong must not be in the way for ever."""
        with suppress(OSError):
            (self.folder / "bots").write_text("\n".join(bots), encoding="utf-8")

    def close(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
        if self._passing is not None:
            self._passing.cleanup()
            self._passing = None


class PrivateServer:
    """It comes back at the same address whenever it dies, and finds its games where they were."""

    def __init__(self, bots: tuple[str, ...], place: Place, settings: tuple[str, ...] = ()) -> None:
        """`settings`: more flags of `parlour serve`."""
        self._bots, self._place, self._settings = bots, place, settings
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> str:
        """Its address; NoServer if it does not come up."""
        url = await self._launch(0)
        self._keeper = asyncio.create_task(self._keep(urlsplit(url).port or 0))
        return url

    async def _keep(self, port: int) -> None:
        backoff = Backoff(first=0.1, most=10.0)
        while True:
            began = time.monotonic()
            if self._process is not None:
                await self._process.wait()
            if time.monotonic() - began > LASTING:
                backoff.reset()
            await asyncio.sleep(backoff.next())
            with suppress(NoServer):  # once more, later
                await self._launch(port)

    async def _launch(self, port: int) -> str:
        words = ["serve", "--port", str(port), "--db", str(self._place.folder / "parlour.db"), "--log-level", "error"]
        words += ["--house", ",".join(self._bots) or "none", *self._settings]
        self._process = await child_process.start("client.local_server", *words, heard=True, held=self._place.held)
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        line = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(STARTING):
                line = await self._process.stdout.readline()
        if b"listening on" not in line:
            said = (await self._process.stderr.read(2000)).decode(errors="replace") if not line else ""
            await self._end()
            raise NoServer(f"a private server could not be started: {' '.join(said.split())[-200:] or 'no answer'}")
        return line.decode().split()[-1]

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        await self._end()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await child_process.end(process, GRACE)


def leave_with_stdin() -> None:
    child_process.until_end_of_input()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=leave_with_stdin, daemon=True).start()
    runpy.run_module("parlour", run_name="__main__", alter_sys=True)
