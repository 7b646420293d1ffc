"""Group commit without a timer, in one writer thread: whatever is queued goes into the next transaction.

The event loop gathers jobs in a list, and hands it over once it has been through all that has arrived. While the thread
writes one list the next one fills, so the worse the disk the bigger the transactions. Every statement gives the GIL
back and fights for it again, so the events of a transaction are one INSERT, and as a rule that is all of it.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

from server.sqlite.ratings import PUT, STAND
from server.store import Append, Conflict, Done, RoomRow, Unavailable

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # rows a statement, so that few are prepared
MOST_ROWS = SIZES[-1]
INSERT_EVENTS = [
    f"INSERT INTO events (room, seq, payload) SELECT * FROM (VALUES {','.join(['(?,?,?)'] * size)}) "
    "WHERE column1 IS NOT NULL"  # rows without a room only fill a statement up
    for size in SIZES
]
PUT_ROOM = """
    INSERT INTO rooms (room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
    ON CONFLICT (room) DO UPDATE SET game=excluded.game, status=excluded.status, result=excluded.result,
      private=excluded.private, player0=excluded.player0, player1=excluded.player1, name0=excluded.name0,
      name1=excluded.name1, deadline=excluded.deadline, changed_at=excluded.changed_at, info=excluded.info
"""


class Statement:
    """Any other write."""

    __slots__ = ("changed", "sql", "values")

    def __init__(self, sql: str, values: tuple[Any, ...]) -> None:
        self.sql, self.values = sql, values
        self.changed = 0  # how many rows, once it is done


Job = tuple[Append | Statement, Done]
Errors = Sequence[Exception | None]  # one a job


class Work(NamedTuple):
    """What jobs come to."""

    rows: list[Any]  # of events: room, seq and payload in turn
    lines: dict[str, RoomRow]
    statements: list[Statement]


class Writer:
    """The one thread that writes, and the queue before it. All methods but `_write` run in the event loop."""

    def __init__(self, connection: sqlite3.Connection, on_commit: Callable[[float, int], None]) -> None:
        self._connection = connection
        self._on_commit = on_commit
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Job] = []
        self._in_flight = 0
        self._called = False  # the hand-over is near
        self._hurried = False
        self._given_up: Unavailable | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._batches: SimpleQueue[list[Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def queued(self) -> int:
        return len(self._gathered) + self._in_flight

    def submit(self, work: Append | Statement, done: Done) -> None:
        self._gathered.append((work, done))
        self._soon()

    def hurry(self) -> None:
        """From the next failure on, nothing is tried any more."""
        self._hurried = True

    async def settled(self) -> None:
        while self._gathered or self._in_flight:
            self._idle.clear()
            await self._idle.wait()

    async def close(self) -> None:
        await self.settled()
        self._batches.put(None)
        await self._loop.run_in_executor(None, self._thread.join)

    def _soon(self) -> None:
        if not self._in_flight and not self._called:
            self._called = True
            self._loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        self._called = False
        batch, self._gathered = self._gathered, []
        self._in_flight = len(batch)
        if self._given_up is not None:
            self._settle(batch, [self._given_up] * len(batch), 0.0)
        else:
            self._batches.put(batch)

    def _settle(self, batch: list[Job], errors: Errors, seconds: float) -> None:
        self._in_flight = 0
        if self._hurried:
            self._given_up = next((error for error in errors if isinstance(error, Unavailable)), None)
        self._on_commit(seconds, len(batch))
        for (_, done), error in zip(batch, errors, strict=True):
            try:
                done(error)
            except Exception:
                logging.getLogger("parlour").exception("what follows an append failed")
        if self._gathered:
            self._soon()
        else:
            self._idle.set()

    # -- in the thread

    def _run(self) -> None:
        while (batch := self._batches.get()) is not None:
            began = perf_counter()
            errors = self._write(batch)
            self._loop.call_soon_threadsafe(self._settle, batch, errors, perf_counter() - began)
        self._connection.close()

    def _write(self, batch: list[Job]) -> Errors:
        try:
            try:
                self._write_together(sort_out(batch))
                return [None] * len(batch)
            except sqlite3.OperationalError:
                raise
            except Exception:  # one of them is bad: find it, and write the others
                self._roll_back()
                return self._write_each(batch)
        except sqlite3.Error as error:
            self._roll_back()
            return [Unavailable(f"the database cannot be written: {error}")] * len(batch)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()

    def _write_together(self, work: Work) -> None:
        if work.lines or work.statements or len(work.rows) > 3 * MOST_ROWS:
            self._connection.execute("BEGIN IMMEDIATE")
            self._put(work)
            self._connection.execute("COMMIT")
        else:  # a single statement is a transaction already
            self._put(work)

    def _write_each(self, batch: list[Job]) -> Errors:
        self._connection.execute("BEGIN IMMEDIATE")
        errors = [self._write_alone(job) for job in batch]
        self._connection.execute("COMMIT")
        return errors

    def _write_alone(self, job: Job) -> Exception | None:
        execute = self._connection.execute
        execute("SAVEPOINT alone")
        try:
            self._put(sort_out([job]))
        except sqlite3.OperationalError:
            raise
        except Exception as error:
            execute("ROLLBACK TO alone")
            execute("RELEASE alone")
            taken = isinstance(error, sqlite3.IntegrityError)
            return Conflict() if taken else Unavailable(f"this cannot be stored: {error}")
        execute("RELEASE alone")
        return None

    def _put(self, work: Work) -> None:
        execute = self._connection.execute
        for at in range(0, len(work.rows), 3 * MOST_ROWS):
            rows = work.rows[at : at + 3 * MOST_ROWS]
            index = bisect_left(SIZES, len(rows) // 3)
            rows += [None] * (3 * SIZES[index] - len(rows))
            execute(INSERT_EVENTS[index], rows)
        for line in work.lines.values():
            execute(PUT_ROOM, room_values(line))
        for statement in work.statements:
            statement.changed = execute(statement.sql, statement.values).rowcount


def sort_out(batch: list[Job]) -> Work:
    work = Work([], {}, [])
    rows = work.rows
    for job, _ in batch:
        if type(job) is Statement:
            work.statements.append(job)
            continue
        append: Append | None = job  # type: ignore[assignment]  # there are no others
        while append is not None:
            for seq, payload in enumerate(append.payloads, append.after + 1):
                rows += (append.room, seq, payload)
            if append.line is not None:
                work.lines[append.room] = append.line
            for rating in append.ratings:
                work.statements.extend((Statement(PUT, rating), Statement(STAND, rating)))
            append = append.also
    return work


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip
