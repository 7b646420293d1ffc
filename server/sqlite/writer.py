"""Group commit without a timer: whatever is queued goes into the next transaction.

The event loop gathers jobs in a list and hands it to a process of its own, scribe.py. While that writes one list the
next one fills, so the worse the disk the bigger the transactions. A thread would do the same on paper; it has to fight
the event loop for the GIL at every step, and one of the two waits.
"""

from __future__ import annotations

import asyncio
import logging
import marshal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from server.log import log
from server.sqlite import scribe
from server.sqlite.ratings import PUT, STAND
from server.sqlite.scribe import LENGTH, Answer, Job
from server.store import Append, Conflict, Done, RoomRow, Unavailable

PATIENCE = 3.0  # seconds for the process to end by itself
AGAIN = 1.0  # seconds between two starts of it

GONE = "the process that writes the database has ended"


class Statement:
    """Any other write."""

    __slots__ = ("changed", "sql", "values")

    def __init__(self, sql: str, values: tuple[Any, ...]) -> None:
        self.sql, self.values = sql, values
        self.changed = 0  # how many rows, once it is done


Gathered = tuple[Append | Statement, Done]


class Writer(asyncio.SubprocessProtocol):
    """The queue before the process that writes, and its keeper."""

    def __init__(self, path: str, busy: float, on_commit: Callable[[float, int], None]) -> None:
        self._command = (sys.executable, "-I", "-S", str(Path(scribe.__file__)), path, str(busy))
        self._on_commit = on_commit
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Gathered] = []
        self._in_flight: list[Gathered] = []
        self._since = 0.0  # when they were handed over
        self._called = False  # the hand-over is near
        self._hurried = self._closing = False
        self._given_up: Unavailable | None = None
        self._idle = asyncio.Event()
        self._ended = asyncio.Event()
        self._process: asyncio.SubprocessTransport | None = None
        self._pipe: asyncio.WriteTransport | None = None  # while it takes jobs
        self._answer = b""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def queued(self) -> int:
        return len(self._gathered) + len(self._in_flight)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.get_pid()

    def submit(self, work: Append | Statement, done: Done) -> None:
        self._gathered.append((work, done))
        if not self._in_flight and not self._called:
            self._called = True
            self._loop.call_soon(self._hand_over)  # with whatever else has arrived

    def hurry(self) -> None:
        """From the next failure on, nothing is tried any more."""
        self._hurried = True

    async def settled(self) -> None:
        while self._gathered or self._in_flight:
            self._idle.clear()
            await self._idle.wait()

    def _hand_over(self) -> None:
        self._called = False
        if self._in_flight or not self._gathered or (self._pipe is None and self._given_up is None):
            return
        jobs, self._gathered = self._gathered, []
        self._in_flight = jobs
        self._since = perf_counter()
        if self._given_up is not None or self._pipe is None:
            self._loop.call_soon(self._settle, [self._given_up] * len(jobs))
            return
        try:
            self._pipe.write(scribe.pack([as_job(work) for work, _ in jobs]))
        except ValueError:
            self._in_flight = []
            self._gathered = [job for job in jobs if self._can_be_sent(*job)]
            self._hand_over()

    def _can_be_sent(self, work: Append | Statement, done: Done) -> bool:
        """One that cannot is not to fail its neighbours."""
        try:
            scribe.pack([as_job(work)])
        except ValueError as error:
            self._loop.call_soon(done, Unavailable(f"this cannot be stored: {error}"))
            return False
        return True

    def _settle(self, errors: Sequence[Exception | None]) -> None:
        jobs, self._in_flight = self._in_flight, []
        if self._hurried:
            self._given_up = next((error for error in errors if isinstance(error, Unavailable)), None)
        self._on_commit(perf_counter() - self._since, len(jobs))
        self._hand_over()  # before anything else, so that the disk does not wait for us
        for (_, done), error in zip(jobs, errors, strict=True):
            try:
                done(error)
            except Exception:
                logging.getLogger("parlour").exception("what follows an append failed")
        if not self._gathered and not self._in_flight:
            self._idle.set()

    # -- the process

    async def start(self) -> None:
        self._ended.clear()
        process, _ = await self._loop.subprocess_exec(
            lambda: self, *self._command, stdin=PIPE, stdout=PIPE, stderr=None
        )
        self._process = process
        if self._ended.is_set():  # already, and it will be started again
            return
        self._pipe = cast(asyncio.WriteTransport, process.get_pipe_transport(0))
        self._answer = b""
        self._hand_over()

    async def close(self) -> None:
        """Once everything is written. Nobody waits for ever for a disk that does not answer."""
        await self.settled()
        self._closing = True
        await asyncio.gather(*self._tasks)  # it may just be starting again
        if self._pipe is not None and self._process is not None:
            self._pipe.close()
            try:
                await asyncio.wait_for(self._ended.wait(), PATIENCE)
            except TimeoutError:
                self._process.kill()
                await self._ended.wait()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._answer += data
        end = LENGTH + int.from_bytes(self._answer[:LENGTH], "big")
        if len(self._answer) >= max(end, LENGTH + 1):
            answers, self._answer = marshal.loads(self._answer[LENGTH:end]), b""
            self._settle([outcome(work, answer) for (work, _), answer in zip(self._in_flight, answers, strict=True)])

    def process_exited(self) -> None:
        """It was not meant to. What it was given may be written or not: whoever tries again will find out."""
        self._ended.set()
        self._pipe = None
        if self._process is not None:
            self._process.close()
        if not self._closing:
            log("scribe_ended", logging.ERROR, why=GONE)
            if self._in_flight:
                self._settle([Unavailable(GONE)] * len(self._in_flight))
            self._loop.call_later(AGAIN, self._start_again)

    def _start_again(self) -> None:
        if not self._closing:
            task = self._loop.create_task(self.start())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


def outcome(work: Append | Statement, answer: Answer) -> Exception | None:
    if type(answer) is str:
        return Unavailable(answer) if answer else Conflict()
    if type(work) is Statement:
        work.changed = cast(int, answer)
    return None


def as_job(work: Append | Statement) -> Job | tuple[Any, ...]:
    if type(work) is Statement:
        return ([], (), ((work.sql, work.values),))
    append = cast(Append, work)
    if append.line is None and append.also is None and not append.ratings and len(append.payloads) == 1:  # as most
        return ([append.room, append.after + 1, append.payloads[0]], (), ())
    rows: list[Any] = []
    lines: list[tuple[Any, ...]] = []
    statements: list[tuple[str, tuple[Any, ...]]] = []
    part: Append | None = append
    while part is not None:
        for seq, payload in enumerate(part.payloads, part.after + 1):
            rows += (part.room, seq, payload)
        if part.line is not None:
            lines.append(room_values(part.line))
        for rating in part.ratings:
            statements += ((PUT, tuple(rating)), (STAND, tuple(rating)))
        part = part.also
    return (rows, tuple(lines), tuple(statements))


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip
