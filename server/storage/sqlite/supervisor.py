"""Supervisor of the writer process: start it, restart it when it dies. write_queue.py talks to it."""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar, cast

from runtime.backoff import Backoff
from runtime.supervisor import Supervisor
from server.logs import log
from server.storage.interface import StoreError
from server.storage.sqlite import writer_process

RESTART_DELAY_S = 1.0
START_TIMEOUT_S = 10.0
KILL_TIMEOUT_S = 0.5  # a process that waits for a broken disk may never die

STDERR = 2
MAX_STDERR_BYTES = 4000

WRITER_EXITED = "the database writer process has ended"


class WriterProcess(asyncio.SubprocessProtocol):
    """One writer process. It has the methods of asyncio's Process that a Supervisor needs."""

    def __init__(self) -> None:
        self.on_exit: Callable[[], None] = lambda: None
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self.greeting: asyncio.Future[str] = asyncio.get_running_loop().create_future()  # a problem, or ""
        self._stderr = b""  # the end of what it has written to standard error

    @property
    def transport(self) -> asyncio.SubprocessTransport:
        assert self._transport is not None
        return self._transport

    @property
    def stdin(self) -> asyncio.WriteTransport:
        return cast(asyncio.WriteTransport, self.transport.get_pipe_transport(0))

    @property
    def returncode(self) -> int | None:
        return self.transport.get_returncode()

    def kill(self) -> None:
        self.transport.kill()

    async def wait(self) -> None:
        await self._exited.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def keep_stderr(self, data: bytes) -> None:
        """Keep what the process writes to standard error. It is logged when the process has closed it."""
        self._stderr = (self._stderr + data)[-MAX_STDERR_BYTES:]

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        if fd == STDERR and self._stderr:
            log("writer_failed", logging.ERROR, why=self._stderr.decode(errors="replace").strip())
            self._stderr = b""

    def process_exited(self) -> None:
        self._exited.set()
        self.transport.close()
        if not self.greeting.done():
            self.greeting.set_result(WRITER_EXITED)
        self.on_exit()


P = TypeVar("P", bound=WriterProcess)


class WriterSupervisor(Generic[P]):
    """The writer process and its successors.

    `address`: a unix socket where the process also serves workers. `new_process` makes the protocol of the next
    process. `on_lost` is called when the process has died, `on_ready` when it accepts jobs, `on_missing` with the
    reason when it could not be restarted.
    """

    restart_delay_s = RESTART_DELAY_S

    def __init__(
        self,
        path: str,
        busy: float,
        new_process: Callable[[], P],
        on_lost: Callable[[], None],
        on_missing: Callable[[str], None],
        on_ready: Callable[[], None],
        *,
        address: str = "",
    ) -> None:
        self._path, self._busy, self._address = path, busy, address
        self._new_process, self._on_lost, self._on_missing, self._on_ready = new_process, on_lost, on_missing, on_ready
        self._file = Path(path).stat()
        self._supervisor = Supervisor(
            self._spawn,
            Backoff(self.restart_delay_s, self.restart_delay_s),
            KILL_TIMEOUT_S,
            wait_ready=self._wait_ready,
            failures=(StoreError,),
            on_failure=self._restart_failed,
            kill_timeout_s=KILL_TIMEOUT_S,
        )
        self._closing = False
        self.ready = False  # for jobs

    @property
    def child(self) -> P | None:
        """The latest process."""
        return self._supervisor.child

    @property
    def pid(self) -> int | None:
        child = self._supervisor.child
        return None if child is None else child.transport.get_pid()

    def command(self) -> tuple[str, ...]:
        """Return the command line of the process."""
        script = str(Path(writer_process.__file__))
        file = (str(self._file.st_dev), str(self._file.st_ino))
        address = (self._address,) if self._address else ()
        quiet = ("-W", "ignore::DeprecationWarning")  # Python before 3.12.4 takes ?1 in SQL for a name, and warns
        return (sys.executable, "-I", "-S", *quiet, script, self._path, str(self._busy), *file, *address)

    def find_problem(self) -> str:
        """Return what has happened to the file of the database, empty if it is in its place."""
        return writer_process.find_problem(self._path, self._file.st_dev, self._file.st_ino)

    async def start(self) -> None:
        """Start the process. Raises StoreError if it does not accept jobs."""
        await self._supervisor.start()

    async def stop(self, grace_s: float) -> None:
        """Let the process finish its jobs within `grace_s`, then kill it."""
        self._closing, self.ready = True, False
        await self._supervisor.stop(grace_s)

    async def _spawn(self) -> P:
        loop = asyncio.get_running_loop()
        try:
            _, child = await loop.subprocess_exec(
                self._new_process,
                *self.command(), stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            why = error.strerror or error
            raise StoreError(f"cannot start the database writer process: {why}") from None
        child.on_exit = partial(self._exited, child)
        return child

    async def _wait_ready(self, child: P) -> None:
        try:
            problem = await asyncio.wait_for(asyncio.shield(child.greeting), START_TIMEOUT_S)
        except TimeoutError:
            child.kill()
            problem = "the database writer process did not start in time"
        if problem or child.returncode is not None:
            raise StoreError(problem or WRITER_EXITED)
        self.ready = True
        self._on_ready()

    def _exited(self, child: P) -> None:
        if child is not self._supervisor.child:
            return  # a process that could not be killed at once; its successor is running
        was_ready, self.ready = self.ready, False
        if was_ready and not self._closing:
            log("writer_exited", logging.ERROR, why=WRITER_EXITED)
            self._on_lost()

    def _restart_failed(self, error: Exception, delay: float) -> None:
        log("writer_missing", logging.ERROR, why=str(error), again_in=round(delay, 1))
        self._on_missing(str(error))
