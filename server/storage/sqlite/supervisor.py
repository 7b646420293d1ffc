"""The keeper of the process that writes: starts it, hands it jobs, hears its answers, starts it again if it dies."""

from __future__ import annotations

import asyncio
import logging
import marshal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import cast

from server.logs import log
from server.storage.interface import StoreError
from server.storage.sqlite import writer_process
from server.storage.sqlite.writer_process import LENGTH_BYTES, Answer, Job, Rows

AGAIN = 1.0  # seconds before it is started again
STARTING = 10.0  # seconds until it says that it is there
KILLED = 0.5  # seconds to be gone then; a process that waits for a broken disk may need for ever

GONE = "the process that writes the database has ended"


class Keeper(asyncio.SubprocessProtocol):
    """`answered`: the jobs that were sent. `lost`: it has died. `missing`: why it could not be started again."""

    def __init__(
        self,
        path: str,
        busy: float,
        answered: Callable[[list[Answer], list[Answer]], None],
        lost: Callable[[], None],
        missing: Callable[[str], None],
        ready: Callable[[], None],
    ) -> None:
        self._path, self._busy = path, busy
        self._answered, self._lost, self._missing, self._ready = answered, lost, missing, ready
        self._file = Path(path).stat()
        self._loop = asyncio.get_running_loop()
        self._process: asyncio.SubprocessTransport | None = None
        self._first: asyncio.Future[str] = self._loop.create_future()  # what is wrong with its start, or nothing
        self._ended = asyncio.Event()
        self._heard = b""
        self._again: asyncio.Task[None] | None = None
        self._closing = False
        self.takes = False  # jobs

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.get_pid()

    def command(self) -> tuple[str, ...]:
        file = (str(self._file.st_dev), str(self._file.st_ino))
        return (sys.executable, "-I", "-S", str(Path(writer_process.__file__)), self._path, str(self._busy), *file)

    async def start(self) -> None:
        """StoreError."""
        self._ended.clear()
        self._heard = b""
        self._first = self._loop.create_future()
        try:
            self._process, _ = await self._loop.subprocess_exec(
                lambda: self, *self.command(), stdin=PIPE, stdout=PIPE, stderr=None, start_new_session=True
            )
        except OSError as error:
            self._ended.set()
            why = error.strerror or error
            raise StoreError(f"cannot start the process that writes the database: {why}") from None
        if self._ended.is_set():  # so soon that process_exited could not
            self._process.close()
        try:
            problem = await asyncio.wait_for(self._first, STARTING)
        except TimeoutError:
            self._process.kill()
            problem = "the process that writes the database does not begin"
        if problem or self._ended.is_set():
            raise StoreError(problem or GONE)
        self.takes = True
        self._ready()

    def send(self, rows: Rows, jobs: list[Job]) -> None:
        """ValueError if one of them cannot be sent."""
        message = writer_process.pack((rows, jobs))
        with suppress(RuntimeError):  # it has just died, and we shall hear of it
            self._stdin().write(message)

    async def end(self, seconds: float) -> None:
        """Let it come to its end, but do not wait for ever for a disk that does not answer."""
        self._closing, self.takes = True, False
        if self._again is not None:
            self._again.cancel()
            with suppress(asyncio.CancelledError):
                await self._again
        if self._process is not None and not self._ended.is_set():
            self._stdin().close()
            try:
                await asyncio.wait_for(self._ended.wait(), seconds)
            except TimeoutError:
                self._process.kill()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), KILLED)

    def _stdin(self) -> asyncio.WriteTransport:
        assert self._process is not None
        return cast(asyncio.WriteTransport, self._process.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        heard = self._heard = self._heard + data if self._heard else data
        while len(heard) > LENGTH_BYTES and len(heard) >= (
            end := LENGTH_BYTES + int.from_bytes(heard[:LENGTH_BYTES], "big")
        ):
            message = marshal.loads(heard[LENGTH_BYTES:end])
            heard = self._heard = heard[end:]
            if self._first.done():
                self._answered(*message)
            else:
                self._first.set_result("".join(message))

    def process_exited(self) -> None:
        worked, self.takes = self.takes, False
        self._ended.set()
        if self._process is not None:
            self._process.close()
        if not self._first.done():
            self._first.set_result(GONE)
        elif worked and not self._closing:
            log("scribe_ended", logging.ERROR, why=GONE)
            self._lost()
            self._again = self._loop.create_task(self._start_again())

    async def _start_again(self) -> None:
        while True:
            await asyncio.sleep(AGAIN)
            try:
                await self.start()
            except StoreError as error:
                log("scribe_missing", logging.ERROR, why=str(error))
                self._missing(str(error))
            else:
                return
