"""Group commit without a timer, on its own connection: all queued appends go into the next transaction.

When the connection breaks, it is unknown whether the last transaction was written. The queue looks it up as soon as the
database is back. If that takes too long it rejects the appends; the next append to the room then shows what happened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import asyncpg

from runtime.backoff import Backoff
from server.logs import log
from server.storage.interface import Append, Conflict, Done, OnCommit, Unavailable
from server.storage.postgres.batch import Batch

MAX_BATCH_APPENDS = 512  # in one transaction
FIRST_RETRY_S, MAX_RETRY_S = 0.05, 0.5  # delays between attempts to connect
RESOLVE_TIMEOUT_S = 2.0  # to look up whether a transaction was written
CLOSE_TIMEOUT_S = 0.5
CONNECTION_ERRORS = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shutting down, or starting up
)
RETRYABLE_ERRORS = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
Job = tuple[Append, Done]
Connect = Callable[[], Awaitable[Any]]


class WriteQueue:
    """The queue in front of the connection that writes events."""

    def __init__(self, connection: Any, connect: Connect, on_commit: OnCommit) -> None:
        self._connect = connect
        self._on_commit = on_commit
        self._collected: list[Job] = []
        self._in_flight = 0
        self._started_at = 0.0  # of the current write
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._outage = ""  # why the database is unavailable, empty while it is available
        self._reconnecting: asyncio.Task[None] | None = None
        self._closing = False
        self._use(connection)
        self._task = asyncio.create_task(self._run())

    @property
    def queued(self) -> int:
        return len(self._collected) + self._in_flight

    @property
    def write_age_s(self) -> float:
        return perf_counter() - self._started_at if self._in_flight else 0.0

    def submit(self, append: Append, done: Done) -> None:
        """Queue an append. Call `done` when it is durable, or with the error."""
        if self._outage:
            asyncio.get_running_loop().call_soon(done, Unavailable(self._outage))
            return
        self._collected.append((append, done))
        self._idle.clear()
        self._work.set()

    async def flush(self) -> None:
        """Wait until no append is queued."""
        await self._idle.wait()

    async def close(self) -> None:
        """Wait a moment for the queued appends, then disconnect."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), CLOSE_TIMEOUT_S)
        self._closing = True
        for task in (self._task, self._reconnecting):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        with suppress(*CONNECTION_ERRORS):
            await self._connection.close(timeout=CLOSE_TIMEOUT_S)

    async def _run(self) -> None:
        while True:
            await self._work.wait()
            jobs, self._collected = self._collected[:MAX_BATCH_APPENDS], self._collected[MAX_BATCH_APPENDS:]
            self._in_flight = len(jobs)
            if jobs:
                self._started_at = perf_counter()
                await self._write(jobs)
                self._on_commit(perf_counter() - self._started_at, len(jobs))
            self._in_flight = 0
            if not self._collected:
                self._work.clear()
                self._idle.set()

    async def _write(self, jobs: list[Job]) -> None:
        """Write appends together. If one of them is bad, write each half separately, so that the others are written."""
        try:
            await self._write_together(Batch(append for append, _ in jobs))
        except Unavailable as error:
            finish(jobs, error)
        except Exception as error:
            if len(jobs) == 1:
                conflict = isinstance(error, asyncpg.UniqueViolationError)
                finish(jobs, Conflict() if conflict else Unavailable(f"this cannot be stored: {error}"))
                return
            half = len(jobs) // 2
            await self._write(jobs[:half])
            await self._write(jobs[half:])
        else:
            finish(jobs, None)

    async def _write_together(self, batch: Batch) -> None:
        while True:
            if self._outage:
                raise Unavailable(self._outage)
            try:
                await batch.write(self._connection)
                return
            except RETRYABLE_ERRORS:
                continue
            except asyncpg.InsufficientResourcesError as error:  # a full disk
                raise Unavailable(f"the database cannot be written: {error}") from None
            except CONNECTION_ERRORS as error:
                self._connection.terminate()
                await self._resolve(batch, f"the database is unavailable: {describe(error)}")
                return

    async def _resolve(self, batch: Batch, why: str) -> None:
        """Look up whether a transaction was written although its connection broke. Raises Unavailable if not."""
        self._lost(why)
        assert self._reconnecting is not None
        try:
            await asyncio.wait_for(asyncio.shield(self._reconnecting), RESOLVE_TIMEOUT_S)
            written = await batch.is_written(self._connection)
        except CONNECTION_ERRORS:
            raise Unavailable(f"{why}; it is not known yet whether this was written") from None
        if not written:
            raise Unavailable(why)

    # -- the connection

    def _use(self, connection: Any) -> None:
        self._connection: Any = connection
        connection.add_termination_listener(lambda _: self._lost("the database is unavailable: connection lost"))

    def _lost(self, why: str) -> None:
        """Reject all appends until there is a connection again."""
        if self._outage or self._closing:
            return
        self._outage = why
        log("store_lost", logging.ERROR, why=why)
        self._reconnecting = asyncio.create_task(self._reconnect())
        rejected, self._collected = self._collected, []
        finish(rejected, Unavailable(why))

    async def _reconnect(self) -> None:
        backoff = Backoff(FIRST_RETRY_S, MAX_RETRY_S)
        while True:
            try:
                connection = await self._connect()
            except (*CONNECTION_ERRORS, asyncpg.PostgresError) as error:
                self._outage = f"the database is unavailable: {describe(error)}"
                await asyncio.sleep(backoff.next())
            else:
                self._use(connection)
                self._outage = ""
                log("store_back")
                return


def finish(jobs: list[Job], error: Exception | None) -> None:
    """Call the callbacks of jobs."""
    for _, done in jobs:
        try:
            done(error)
        except Exception:
            logging.getLogger("parlour").exception("the callback of an append failed")


def describe(error: BaseException) -> str:
    """Return the text of an error without the number of the system, or its type if it has none."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
