"""Group commit without a timer: whatever is queued goes into the next transaction.

The event loop gathers jobs in a list and hands it to a process of its own, scribe.py. While that writes one list the
next one fills, so the worse the disk the bigger the transactions. A thread would do the same on paper; it has to fight
the event loop for the GIL at every step, and one of the two waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter

from server.storage.interface import Conflict, Done, OnCommit, Unavailable
from server.storage.sqlite.batch import Asked, Statement, Work, as_job, outcome, sort_out
from server.storage.sqlite.supervisor import GONE, Keeper
from server.storage.sqlite.writer_process import Answer, pack

ENOUGH = 100  # jobs that do not wait for the rest of what has arrived: the disk can begin
PATIENCE = 0.5  # seconds for what is queued at the very end, and as long for the process to be gone

Look = Callable[[str, int], Awaitable[bytes | None]]  # the payload of an event by its room and seq, if it is there


class Writer:
    """The queue before the process that writes. `look`: what is in the store, where that is in doubt."""

    def __init__(self, path: str, busy: float, on_commit: OnCommit, look: Look) -> None:
        self._on_commit, self._look = on_commit, look
        self._loop = asyncio.get_running_loop()
        self._keeper = Keeper(path, busy, self._answered, self._lost, self._missing, self._hand_over)
        self._gathered: list[Asked] = []
        self._in_flight: list[Asked] = []
        self._events = 0  # of those, the first ones: plain events
        self._since = 0.0  # when they were handed over
        self._called = False  # the hand-over is near
        self._failing_fast = self._closed = False
        self._given_up: Unavailable | None = None
        self._idle = asyncio.Event()
        self._finding_out: asyncio.Task[None] | None = None

    @property
    def queued(self) -> int:
        return len(self._gathered) + len(self._in_flight)

    @property
    def write_age_s(self) -> float:
        return perf_counter() - self._since if self._in_flight else 0.0

    @property
    def pid(self) -> int | None:
        return self._keeper.pid

    async def start(self) -> None:
        """StoreError."""
        await self._keeper.start()

    def submit(self, work: Work, done: Done) -> None:
        if self._closed:
            self._loop.call_soon(done, Unavailable(GONE))
            return
        self._gathered.append((work, done))
        if len(self._gathered) == ENOUGH:
            self._hand_over()
        else:
            self._soon()

    def fail_fast(self) -> None:
        """From the next failure on, nothing is tried any more."""
        self._failing_fast = True
        self._soon()

    async def flush(self) -> None:
        while self._gathered or self._in_flight:
            self._idle.clear()
            await self._idle.wait()

    async def close(self) -> None:
        """Once everything is written, or cannot be."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self.flush()
        except TimeoutError:
            self._given_up = Unavailable(GONE)
        self._closed = True
        await self._keeper.end(PATIENCE)
        if self._finding_out is not None:
            self._finding_out.cancel()
        self._refuse(GONE)

    def _soon(self) -> None:
        if not self._in_flight and not self._called:
            self._called = True
            self._loop.call_soon(self._hand_over)  # with whatever else has arrived

    def _hand_over(self) -> None:
        self._called = False
        if self._in_flight or not self._gathered:
            return
        if not self._keeper.takes and self._given_up is None:
            if not self._failing_fast:
                return  # it will be back
            self._given_up = Unavailable(GONE)
        jobs, self._gathered = self._gathered, []
        events, rows, others = sort_out(jobs)
        self._in_flight = events + others
        self._events = len(events)
        self._since = perf_counter()
        if self._given_up is not None:
            self._loop.call_soon(self._settle, [self._given_up] * len(jobs))
            return
        try:
            self._keeper.send(rows, [as_job(work) for work, _ in others])
        except ValueError:
            self._in_flight = []
            self._gathered = [job for job in jobs if self._can_be_sent(*job)]
            self._hand_over()
            self._rest()

    def _can_be_sent(self, work: Work, done: Done) -> bool:
        """One that cannot is not to fail its neighbours."""
        try:
            pack(as_job(work))
        except ValueError as error:
            self._loop.call_soon(done, Unavailable(f"this cannot be stored: {error}"))
            return False
        return True

    def _answered(self, events: list[Answer], others: list[Answer]) -> None:
        written = 0 if events else self._events  # all of them
        rest = zip(self._in_flight[written:], events + others, strict=True)
        self._settle([None] * written + [outcome(work, answer) for (work, _), answer in rest])

    def _settle(self, errors: Sequence[Exception | None]) -> None:
        jobs, self._in_flight = self._in_flight, []
        if self._failing_fast and self._given_up is None:
            self._given_up = next((error for error in errors if isinstance(error, Unavailable)), None)
        self._on_commit(perf_counter() - self._since, len(jobs))
        self._hand_over()  # before anything else, so that the disk does not wait for us
        for (_, done), error in zip(jobs, errors, strict=True):
            try:
                done(error)
            except Exception:
                logging.getLogger("parlour").exception("what follows an append failed")
        self._rest()

    def _rest(self) -> None:
        if not self._gathered and not self._in_flight:
            self._idle.set()

    # -- when the process dies

    def _lost(self) -> None:
        if self._in_flight:
            self._finding_out = self._loop.create_task(self._find_out())

    async def _find_out(self) -> None:
        """What became of the last jobs: they may have been written, and nobody could say so any more."""
        self._settle([await self._fate(work) for work, _ in self._in_flight])

    async def _fate(self, work: Work) -> Exception | None:
        if isinstance(work, Statement):
            return Unavailable(f"whether this was written is not known: {GONE}")
        try:
            there = await self._look(work.room, work.after + 1)
        except Unavailable as error:
            return error
        except Exception as error:  # such a thing cannot be asked for, so it cannot have been written
            return Unavailable(f"this cannot be stored: {error}")
        if there is None:
            return Unavailable(GONE)
        return None if there == work.payloads[0] else Conflict()

    def _missing(self, why: str) -> None:
        if self._finding_out is None or self._finding_out.done():
            self._refuse(why)

    def _refuse(self, why: str) -> None:
        """Everything that waits."""
        self._in_flight, self._gathered = self._in_flight + self._gathered, []
        if self._in_flight:
            self._settle([Unavailable(why)] * len(self._in_flight))
