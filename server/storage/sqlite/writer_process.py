"""The process that writes. Whatever comes in one piece becomes one transaction, and the answer says how each job went.

    python -I -S scribe.py FILE SECONDS DEVICE INODE

The database, how long to wait for somebody else who holds it, and which file that is, since another may have taken its
place. Both ways: four bytes with a length, then so many of `marshal`. First goes out an empty list, or one with what is
wrong with the file. Then in come pairs: events with nothing else to them, which most jobs are, and other jobs. Out go
pairs of answers to both: how many rows the job's last statement changed, or a text: an empty one where another event
has its place already, otherwise what is wrong; to events no answers at all where every one of them is written. It ends
when nobody can send any more, and imports the standard library alone, so it is small and soon there.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":  # signals are for the server, which has something to write then; from the first moment on
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

import marshal
import os
import sqlite3
import sys
from bisect import bisect_left
from typing import Any

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


Values = tuple[Any, ...]
Rows = list[Any]  # room, seq and payload of events in turn
# What belongs together, all of it or nothing: events; lines of rooms in the index; other statements and their values
Job = tuple[Rows, tuple[Values, ...], tuple[tuple[str, Values], ...]]
Answer = int | str


class Scribe:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, rows: Rows, jobs: list[Job]) -> tuple[list[Answer], list[Answer]]:
        try:
            try:
                return [], self._together(rows, jobs)
            except sqlite3.OperationalError:
                raise
            except Exception:  # one of them is bad: find it, and write the others
                self._roll_back()
                events: list[Job] = [(rows[at : at + 3], (), ()) for at in range(0, len(rows), 3)]
                answers = self._each(events + jobs)
                return answers[: len(events)], answers[len(events) :]
        except sqlite3.Error as error:
            self._roll_back()
            wrong = f"the database cannot be written: {error}"
            return [wrong] * (len(rows) // 3), [wrong] * len(jobs)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()

    def _together(self, rows: Rows, jobs: list[Job]) -> list[Answer]:
        if not jobs and len(rows) <= 3 * MOST_ROWS:  # a single statement is a transaction already
            self._put_events(rows)
            return []
        self._connection.execute("BEGIN IMMEDIATE")
        self._put_events(rows + [value for events, _, _ in jobs for value in events])
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

    def _put_events(self, rows: Rows) -> None:
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


def pack(message: Any) -> bytes:
    data = marshal.dumps(message)
    return len(data).to_bytes(LENGTH, "big") + data


def problem(path: str, device: str, inode: str) -> str:
    """What is wrong with the file, if anything."""
    try:
        file = os.stat(path)  # noqa: PTH116  # pathlib takes as long to load as all the rest
    except OSError as error:
        return f"cannot use the database {path}: {error.strerror}"
    same = (file.st_dev, file.st_ino) == (int(device), int(inode))
    return "" if same else f"another file has taken the place of the database {path}; start the server again"


def main(path: str, busy: str, device: str, inode: str) -> None:
    come, go = sys.stdin.buffer, sys.stdout.buffer

    def say(message: Any) -> None:
        go.write(pack(message))
        go.flush()

    wrong = problem(path, device, inode)
    if not wrong:
        try:
            scribe = Scribe(connect(path, float(busy)))
        except sqlite3.Error as error:
            wrong = f"cannot use the database {path}: {error}"
    if wrong:
        say([wrong])
        return
    say([])
    while len(length := come.read(LENGTH)) == LENGTH:
        size = int.from_bytes(length, "big")
        data = come.read(size)
        if len(data) < size:  # whoever sent it is gone, and will not have promised anything
            break
        say(scribe.write(*marshal.loads(data)))


if __name__ == "__main__":
    main(*sys.argv[1:])
