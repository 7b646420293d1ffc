"""Group commit without a timer, on a connection of its own: whatever is queued goes into the next transaction.

When the connection breaks nobody knows whether the last transaction was written. It is looked up as soon as the
database is back; only what takes too long to find out is refused, and then the fence shows what became of it.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import asyncpg

from server.logs import log
from server.storage.interface import Append, Conflict, Done, OnCommit, Unavailable
from server.storage.postgres.batch import Batch

MOST = 512  # appends in a transaction
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # seconds between attempts to connect
IN_DOUBT = 2.0  # seconds to find out whether something was written
LAST = 0.5  # seconds for a goodbye
BROKEN = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # it shuts down, or starts up
)
AGAIN = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)
Job = tuple[Append, Done]
Connect = Callable[[], Awaitable[Any]]


class Writer:
    def __init__(self, connection: Any, connect: Connect, on_commit: OnCommit) -> None:
        self._connect = connect
        self._on_commit = on_commit
        self._gathered: list[Job] = []
        self._in_flight = 0
        self._since = 0.0  # when those were taken up
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._away = ""  # why the database cannot be reached, while it cannot
        self._returning: asyncio.Task[None] | None = None
        self._closing = False
        self._use(connection)
        self._task = asyncio.create_task(self._run())

    @property
    def queued(self) -> int:
        return len(self._gathered) + self._in_flight

    @property
    def write_age_s(self) -> float:
        return perf_counter() - self._since if self._in_flight else 0.0

    def submit(self, append: Append, done: Done) -> None:
        if self._away:
            asyncio.get_running_loop().call_soon(done, Unavailable(self._away))
            return
        self._gathered.append((append, done))
        self._idle.clear()
        self._work.set()

    async def flush(self) -> None:
        await self._idle.wait()

    async def close(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), LAST)
        self._closing = True
        for task in (self._task, self._returning):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        with suppress(*BROKEN):
            await self._connection.close(timeout=LAST)

    async def _run(self) -> None:
        while True:
            await self._work.wait()
            jobs, self._gathered = self._gathered[:MOST], self._gathered[MOST:]
            self._in_flight = len(jobs)
            if jobs:
                self._since = perf_counter()
                await self._write(jobs)
                self._on_commit(perf_counter() - self._since, len(jobs))
            self._in_flight = 0
            if not self._gathered:
                self._work.clear()
                self._idle.set()

    async def _write(self, jobs: list[Job]) -> None:
        """All together; where one of them is bad, each half for itself, so that its neighbours are written."""
        try:
            await self._write_together(Batch(append for append, _ in jobs))
        except Unavailable as error:
            settle(jobs, error)
        except Exception as error:
            if len(jobs) == 1:
                conflict = isinstance(error, asyncpg.UniqueViolationError)
                settle(jobs, Conflict() if conflict else Unavailable(f"this cannot be stored: {error}"))
                return
            half = len(jobs) // 2
            await self._write(jobs[:half])
            await self._write(jobs[half:])
        else:
            settle(jobs, None)

    async def _write_together(self, batch: Batch) -> None:
        while True:
            if self._away:
                raise Unavailable(self._away)
            try:
                await batch.write(self._connection)
                return
            except AGAIN:
                continue
            except asyncpg.InsufficientResourcesError as error:  # a full disk
                raise Unavailable(f"the database cannot be written: {error}") from None
            except BROKEN as error:
                self._connection.terminate()
                await self._find_out(batch, f"the database is away: {describe(error)}")
                return

    async def _find_out(self, batch: Batch, why: str) -> None:
        """The connection broke under a transaction: was it written?"""
        self._lost(why)
        assert self._returning is not None
        try:
            await asyncio.wait_for(asyncio.shield(self._returning), IN_DOUBT)
            there = await batch.is_there(self._connection)
        except BROKEN:
            raise Unavailable(f"{why}; whether this was written will be seen when it is back") from None
        if not there:
            raise Unavailable(why)

    # -- the connection

    def _use(self, connection: Any) -> None:
        self._connection: Any = connection
        connection.add_termination_listener(lambda _: self._lost("the database is away: the connection is lost"))

    def _lost(self, why: str) -> None:
        """From now on everybody is refused at once, until there is a connection again."""
        if self._away or self._closing:
            return
        self._away = why
        log("store_lost", logging.ERROR, why=why)
        self._returning = asyncio.create_task(self._reconnect())
        waiting, self._gathered = self._gathered, []
        settle(waiting, Unavailable(why))

    async def _reconnect(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                connection = await self._connect()
            except (*BROKEN, asyncpg.PostgresError) as error:
                self._away = f"the database is away: {describe(error)}"
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(LONGEST_PAUSE, pause * 2)
            else:
                self._use(connection)
                self._away = ""
                log("store_back")
                return


def settle(jobs: list[Job], error: Exception | None) -> None:
    for _, done in jobs:
        try:
            done(error)
        except Exception:
            logging.getLogger("parlour").exception("what follows an append failed")


def describe(error: BaseException) -> str:
    return str(error) or type(error).__name__
