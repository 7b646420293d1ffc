"""Group commit without a timer: all queued jobs go into the next transaction.

The event loop collects jobs in a list and sends the list to the writer process. While the process writes one list the
next one fills, so a slower disk gets larger transactions. A thread instead of a process would compete with the event
loop for the GIL at every step.
"""

from __future__ import annotations

import asyncio
import logging
import marshal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import final

from server.storage.interface import Append, Conflict, Done, OnCommit, RoomRow, Unavailable
from server.storage.sqlite.ratings import INSERT_RATING, REPLACE_STANDING
from server.storage.sqlite.supervisor import STDERR, WRITER_EXITED, WriterProcess, WriterSupervisor
from server.storage.sqlite.writer_process import LENGTH_BYTES, Answer, Job, Rows, Values

EARLY_SEND_JOBS = 100  # this many jobs are sent at once, so that the disk can begin
CLOSE_TIMEOUT_S = 0.5  # for the queued jobs, and again for the process to exit

FindPayload = Callable[[str, int], Awaitable[bytes | None]]  # room, seq -> the payload of that event


@final
class Statements:
    """A write other than an append: statements with their values, all or none."""

    __slots__ = ("changed", "statements")

    def __init__(self, *statements: tuple[str, Values]) -> None:
        self.statements = statements
        self.changed = 0  # the number of rows that the last one has changed, once it is done


Work = Append | Statements
QueuedJob = tuple[Work, Done]


class WriterPipe(WriterProcess):
    """Sends jobs to the writer process and receives its answers.

    `on_answer` gets the answers by a call, not through a stream: that saves a task switch for each transaction.
    """

    def __init__(self, on_answer: Callable[[list[Answer], list[Answer]], None]) -> None:
        super().__init__()
        self._on_answer = on_answer
        self._stdin: asyncio.WriteTransport | None = None
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._stdin = self.stdin

    def send(self, rows: Rows, jobs: list[Job]) -> None:
        """Send jobs. Raises ValueError if one of them cannot be marshalled."""
        data = marshal.dumps((rows, jobs))
        assert self._stdin is not None
        with suppress(RuntimeError):  # the process has just died; the supervisor notices
            self._stdin.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR:
            self.keep_stderr(data)
            return
        buffer = self._buffer = self._buffer + data if self._buffer else data
        while len(buffer) > LENGTH_BYTES and len(buffer) >= (
            end := LENGTH_BYTES + int.from_bytes(buffer[:LENGTH_BYTES], "big")
        ):
            message = marshal.loads(buffer[LENGTH_BYTES:end])
            buffer = self._buffer = buffer[end:]
            if self.greeting.done():
                self._on_answer(*message)
            else:
                self.greeting.set_result("".join(message))


class WriteQueue:
    """The queue in front of the writer process.

    `find_payload`: looks up an event, to learn whether it was written before the process died. `supervise`: makes the
    supervisor of the process.
    """

    def __init__(
        self, path: str, busy: float, on_commit: OnCommit, find_payload: FindPayload,
        supervise: type[WriterSupervisor[WriterPipe]] = WriterSupervisor, address: str = "",
    ) -> None:  # fmt: skip
        self._on_commit, self._find_payload = on_commit, find_payload
        self._loop = asyncio.get_running_loop()
        self._supervisor = supervise(path, busy, self._new_pipe, self._lost, self._missing, self._send, address=address)
        self._pipe: WriterPipe | None = None  # to the latest process
        self._collected: list[QueuedJob] = []
        self._in_flight: list[QueuedJob] = []
        self._events_in_flight = 0  # single events; they come first in the list
        self._sent_at = 0.0
        self._send_scheduled = False
        self._failing_fast = self._closed = False
        self._failure: Unavailable | None = None  # all further jobs get this error
        self._idle = asyncio.Event()
        self._resolving: asyncio.Task[None] | None = None

    @property
    def queued(self) -> int:
        return len(self._collected) + len(self._in_flight)

    @property
    def write_age_s(self) -> float:
        return perf_counter() - self._sent_at if self._in_flight else 0.0

    @property
    def pid(self) -> int | None:
        return self._supervisor.pid

    def find_problem(self) -> str:
        """Return what has happened to the file of the database, empty if it is in its place."""
        return self._supervisor.find_problem()

    async def start(self) -> None:
        """Start the writer process. Raises StoreError."""
        await self._supervisor.start()

    def submit(self, work: Work, done: Done) -> None:
        """Queue a job. Call `done` when it is durable, or with the error."""
        if self._closed:
            self._loop.call_soon(done, Unavailable(WRITER_EXITED))
            return
        self._collected.append((work, done))
        if len(self._collected) == EARLY_SEND_JOBS:
            self._send()
        else:
            self._schedule_send()

    def execute(self, *statements: tuple[str, Values]) -> asyncio.Future[int]:
        """Queue statements, all or none. Return a future of the number of rows that the last one changes."""
        future: asyncio.Future[int] = self._loop.create_future()
        work = Statements(*statements)

        def done(error: Exception | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(work.changed)
            else:
                future.set_exception(error)

        self.submit(work, done)
        return future

    def fail_fast(self) -> None:
        """Reject all jobs after the next failure."""
        self._failing_fast = True
        self._schedule_send()

    async def flush(self) -> None:
        """Wait until no job is queued."""
        while self._collected or self._in_flight:
            self._idle.clear()
            await self._idle.wait()

    async def close(self) -> None:
        """Write the queued jobs, or reject them after a timeout, and stop the process."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.flush()
        except TimeoutError:
            self._failure = Unavailable(WRITER_EXITED)
        self._closed = True
        await self._supervisor.stop(CLOSE_TIMEOUT_S)
        if self._resolving is not None:
            self._resolving.cancel()
        self._reject_all(WRITER_EXITED)

    def _schedule_send(self) -> None:
        if not self._in_flight and not self._send_scheduled:
            self._send_scheduled = True
            self._loop.call_soon(self._send)  # together with the other jobs of this loop iteration

    def _send(self) -> None:
        """Send all collected jobs as one message, unless the process still works on the last message."""
        self._send_scheduled = False
        if self._in_flight or not self._collected:
            return
        if not self._supervisor.ready and self._failure is None:
            if not self._failing_fast:
                return  # the process will be restarted
            self._failure = Unavailable(WRITER_EXITED)
        jobs, self._collected = self._collected, []
        events: list[QueuedJob] = []  # single events go into one statement
        others: list[QueuedJob] = []
        rows: Rows = []
        for job in jobs:
            work = job[0]
            if type(work) is Statements or not work.event_only:
                others.append(job)
            else:
                rows += (work.room, work.after + 1, work.payloads[0])
                events.append(job)
        self._in_flight = events + others
        self._events_in_flight = len(events)
        self._sent_at = perf_counter()
        if self._failure is not None:
            self._loop.call_soon(self._finish, [self._failure] * len(jobs))
            return
        try:
            assert self._pipe is not None
            self._pipe.send(rows, [as_job(work) for work, _ in others])
        except ValueError:
            self._in_flight = []
            self._collected = [job for job in jobs if self._can_be_sent(*job)]
            self._send()
            if not self._collected and not self._in_flight:
                self._idle.set()

    def _new_pipe(self) -> WriterPipe:
        self._pipe = WriterPipe(self._answered)
        return self._pipe

    def _can_be_sent(self, work: Work, done: Done) -> bool:
        """Reject a job that cannot be marshalled, so that the others can be sent."""
        try:
            marshal.dumps(as_job(work))
        except ValueError as error:
            self._loop.call_soon(done, Unavailable(f"this cannot be stored: {error}"))
            return False
        return True

    def _answered(self, events: list[Answer], others: list[Answer]) -> None:
        written = 0 if events else self._events_in_flight  # no answers: all single events are written
        rest = zip(self._in_flight[written:], events + others, strict=True)
        self._finish([None] * written + [outcome(work, answer) for (work, _), answer in rest])

    def _finish(self, errors: Sequence[Exception | None]) -> None:
        jobs, self._in_flight = self._in_flight, []
        if self._failing_fast and self._failure is None:
            self._failure = next((error for error in errors if isinstance(error, Unavailable)), None)
        seconds = perf_counter() - self._sent_at
        self._send()  # first, so that the disk does not wait for the callbacks
        self._on_commit(seconds, len(jobs))
        for (_, done), error in zip(jobs, errors, strict=True):
            try:
                done(error)
            except Exception:
                logging.getLogger("parlour").exception("the callback of an append failed")
        if not self._collected and not self._in_flight:
            self._idle.set()

    # -- when the process dies

    def _lost(self) -> None:
        if self._in_flight:
            self._resolving = self._loop.create_task(self._resolve())

    async def _resolve(self) -> None:
        """Look up which jobs in flight were written before the process died."""
        self._finish([await self._look_up(work) for work, _ in self._in_flight])

    async def _look_up(self, work: Work) -> Exception | None:
        if isinstance(work, Statements):
            return Unavailable(f"it is not known whether this was written: {WRITER_EXITED}")
        try:
            payload = await self._find_payload(work.room, work.after + 1)
        except Unavailable as error:
            return error
        except Exception as error:  # a key that cannot be looked up cannot have been written
            return Unavailable(f"this cannot be stored: {error}")
        if payload is None:
            return Unavailable(WRITER_EXITED)
        return None if payload == work.payloads[0] else Conflict()

    def _missing(self, why: str) -> None:
        if self._resolving is None or self._resolving.done():
            self._reject_all(why)

    def _reject_all(self, why: str) -> None:
        """Reject every queued job."""
        self._in_flight, self._collected = self._in_flight + self._collected, []
        if self._in_flight:
            self._finish([Unavailable(why)] * len(self._in_flight))


# -- jobs in the form that the writer process takes, and the meaning of its answers


def as_job(work: Work) -> Job:
    """Return an append or statements as the writer process takes it."""
    if isinstance(work, Statements):
        return ([], (), work.statements)
    events: Rows = []
    rooms: list[Values] = []
    statements: list[tuple[str, Values]] = []
    part: Append | None = work
    while part is not None:
        for seq, payload in enumerate(part.payloads, part.after + 1):
            events += (part.room, seq, payload)
        if part.row is not None:
            rooms.append(room_values(part.row))
        for rating in part.ratings:
            statements += ((INSERT_RATING, tuple(rating)), (REPLACE_STANDING, tuple(rating)))
        part = part.also
    return (events, tuple(rooms), tuple(statements))


def room_values(row: RoomRow) -> Values:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip


def outcome(work: Work, answer: Answer) -> Exception | None:
    """Return the error that an answer stands for. Set `changed` of statements."""
    if isinstance(answer, str):
        return Unavailable(answer) if answer else Conflict()
    if isinstance(work, Statements):
        work.changed = answer
    return None
