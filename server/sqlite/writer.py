"""Group commit without a timer, in one writer thread: whatever is queued goes into the next transaction.

The event loop gathers jobs in a list. While the thread writes one list the next one fills, so the worse the disk the
bigger the transactions. Events go in as one INSERT with many rows: `executemany` would give the GIL back and fight
for it row by row.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import perf_counter
from typing import Any, NamedTuple

from server.store import Append, Conflict, RoomRow, Unavailable

CHUNKS = (256, 64, 16, 4, 1)  # rows a statement: few different statements, so that they stay prepared
INSERT_EVENTS = {n: "INSERT INTO events (room, seq, payload) VALUES " + ",".join(["(?,?,?)"] * n) for n in CHUNKS}
PUT_ROOM = """
    INSERT INTO rooms (room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
    ON CONFLICT (room) DO UPDATE SET game=excluded.game, status=excluded.status, result=excluded.result,
      private=excluded.private, player0=excluded.player0, player1=excluded.player1, name0=excluded.name0,
      name1=excluded.name1, deadline=excluded.deadline, changed_at=excluded.changed_at, info=excluded.info
"""


class Statement(NamedTuple):
    """Any other write; resolves to the number of rows it changed."""

    sql: str
    values: tuple[Any, ...]


Done = Callable[[Any, Exception | None], None]
Job = tuple[Append | Statement, Done]
Outcome = tuple[Job, Any, Exception | None]


class Writer:
    """The one thread that writes, and the queue before it. All methods but `_write` run in the event loop."""

    def __init__(self, connection: sqlite3.Connection, on_commit: Callable[[float, int], None]) -> None:
        self._connection = connection
        self._on_commit = on_commit
        self._loop = asyncio.get_running_loop()
        self._gathered: list[Job] = []
        self._in_flight = 0
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
        if not self._in_flight:  # at once, so that disk and loop work at the same time
            self._hand_over()

    async def settled(self) -> None:
        while self._gathered or self._in_flight:
            self._idle.clear()
            await self._idle.wait()

    async def close(self) -> None:
        await self.settled()
        self._batches.put(None)
        await self._loop.run_in_executor(None, self._thread.join)

    def _hand_over(self) -> None:
        if self._gathered:
            batch, self._gathered = self._gathered, []
            self._in_flight = len(batch)
            self._batches.put(batch)

    def _settle(self, outcomes: list[Outcome], seconds: float) -> None:
        self._in_flight = 0
        self._hand_over()  # keep the disk busy while the loop tells everyone
        self._on_commit(seconds, len(outcomes))
        for (_, done), result, error in outcomes:
            try:
                done(result, error)
            except Exception:
                logging.getLogger("parlour").exception("what follows an append failed")
        if not self._in_flight and not self._gathered:
            self._idle.set()

    # -- in the thread

    def _run(self) -> None:
        while (batch := self._batches.get()) is not None:
            began = perf_counter()
            outcomes = self._write(batch)
            self._loop.call_soon_threadsafe(self._settle, outcomes, perf_counter() - began)
        self._connection.close()

    def _write(self, batch: list[Job]) -> list[Outcome]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                results = self._write_together(batch)
            except sqlite3.OperationalError:
                raise
            except Exception:  # one of them is bad: find it, and write the others
                self._connection.execute("ROLLBACK")
                self._connection.execute("BEGIN IMMEDIATE")
                results = [self._write_alone(job) for job in batch]
            self._connection.execute("COMMIT")
            return results
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.rollback()
            return [(job, None, Unavailable(f"the database cannot be written: {error}")) for job in batch]

    def _write_together(self, batch: list[Job]) -> list[Outcome]:
        execute = self._connection.execute
        rows: list[Any] = []
        index: dict[str, RoomRow] = {}
        results: list[Outcome] = []
        for job in batch:
            work = job[0]
            if type(work) is Append:
                for append in (work,) if work.also is None else (work, work.also):
                    for seq, payload in enumerate(append.payloads, append.after + 1):
                        rows += (append.room, seq, payload)
                    if append.line is not None:
                        index[append.room] = append.line
                results.append((job, None, None))
            elif type(work) is Statement:
                results.append((job, execute(work.sql, work.values).rowcount, None))
        insert_events(execute, rows)
        for row in index.values():
            execute(PUT_ROOM, room_values(row))
        return results

    def _write_alone(self, job: Job) -> Outcome:
        execute = self._connection.execute
        execute("SAVEPOINT alone")
        try:
            ((_, result, _),) = self._write_together([job])
        except sqlite3.OperationalError:
            raise
        except sqlite3.IntegrityError:
            execute("ROLLBACK TO alone")
            execute("RELEASE alone")
            return job, None, Conflict()
        except Exception as error:
            execute("ROLLBACK TO alone")
            execute("RELEASE alone")
            return job, None, Unavailable(f"this cannot be stored: {error}")
        execute("RELEASE alone")
        return job, result, None


def insert_events(execute: Callable[..., Any], rows: list[Any]) -> None:
    at, left = 0, len(rows) // 3
    for size in CHUNKS:
        while left >= size:
            execute(INSERT_EVENTS[size], rows[at : at + 3 * size])
            at += 3 * size
            left -= size


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip
