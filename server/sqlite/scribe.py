"""The process that writes. Whatever comes in one piece becomes one transaction, and the answer says how each job went.

    python -I -S scribe.py FILE SECONDS     the database, and how long to wait for somebody else who holds it

Both ways: four bytes with a length, then so many of `marshal`. In come lists of jobs, out go lists of answers: how many
rows the job's last statement changed, or a text: none where another event has its place already, otherwise what is
wrong. It ends when nobody can send any more, and imports the standard library alone, so it is small and soon there.
"""

from __future__ import annotations

import marshal
import signal
import sqlite3
import sys
from bisect import bisect_left
from typing import Any, NamedTuple

LENGTH = 4
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


class Job(NamedTuple):
    """What belongs together: all of it is written or nothing."""

    rows: list[Any] = []  # of events: room, seq and payload in turn
    lines: tuple[tuple[Any, ...], ...] = ()  # of rooms in the index
    statements: tuple[tuple[str, tuple[Any, ...]], ...] = ()  # any others, with their values


Answer = int | str


class Scribe:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, jobs: list[Job]) -> list[Answer]:
        try:
            try:
                return self._together(jobs)
            except sqlite3.OperationalError:
                raise
            except Exception:  # one of them is bad: find it, and write the others
                self._roll_back()
                return self._each(jobs)
        except sqlite3.Error as error:
            self._roll_back()
            return [f"the database cannot be written: {error}"] * len(jobs)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()

    def _together(self, jobs: list[Job]) -> list[Answer]:
        rows: list[Any] = []
        for job in jobs:
            rows += job[0]
        plain = len(rows) <= 3 * MOST_ROWS and not any(job[1] or job[2] for job in jobs)
        if plain:  # a single statement is a transaction already
            self._put_events(rows)
            return [0] * len(jobs)
        self._connection.execute("BEGIN IMMEDIATE")
        self._put_events(rows)
        answers = [self._put_rest(job) for job in jobs]
        self._connection.execute("COMMIT")
        return answers

    def _each(self, jobs: list[Job]) -> list[Answer]:
        self._connection.execute("BEGIN IMMEDIATE")
        answers = [self._alone(job) for job in jobs]
        self._connection.execute("COMMIT")
        return answers

    def _alone(self, job: Job) -> Answer:
        execute = self._connection.execute
        execute("SAVEPOINT alone")
        try:
            self._put_events(job[0])
            answer = self._put_rest(job)
        except sqlite3.OperationalError:
            raise
        except Exception as error:
            execute("ROLLBACK TO alone")
            execute("RELEASE alone")
            return "" if isinstance(error, sqlite3.IntegrityError) else f"this cannot be stored: {error}"
        execute("RELEASE alone")
        return answer

    def _put_events(self, rows: list[Any]) -> None:
        for at in range(0, len(rows), 3 * MOST_ROWS):
            part = rows[at : at + 3 * MOST_ROWS]
            index = bisect_left(SIZES, len(part) // 3)
            part += [None] * (3 * SIZES[index] - len(part))
            self._connection.execute(INSERT_EVENTS[index], part)

    def _put_rest(self, job: Job) -> Answer:
        _, lines, statements = job
        for line in lines:
            self._connection.execute(PUT_ROOM, line)
        changed = 0
        for sql, values in statements:
            changed = self._connection.execute(sql, values).rowcount
        return changed


def connect(path: str, busy: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("PRAGMA temp_store = MEMORY")  # what a statement would undo needs no file
    return connection


def pack(message: list[Any]) -> bytes:
    data = marshal.dumps(message)
    return len(data).to_bytes(LENGTH, "big") + data


def main(path: str, busy: str) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the server, which has something to write then
        signal.signal(number, signal.SIG_IGN)
    come, go = sys.stdin.buffer, sys.stdout.buffer
    scribe = Scribe(connect(path, float(busy)))
    while len(length := come.read(LENGTH)) == LENGTH:
        size = int.from_bytes(length, "big")
        data = come.read(size)
        if len(data) < size:  # whoever sent it is gone, and will not have promised anything
            break
        go.write(pack(scribe.write(marshal.loads(data))))
        go.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
