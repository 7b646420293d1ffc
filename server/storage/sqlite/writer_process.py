"""The process that writes the database: each message it reads becomes one transaction and gets one answer.

    python -I -S writer_process.py FILE SECONDS DEVICE INODE

The arguments: the database, how long to wait while another process has it locked, and the device and inode that the
file must have, because the file at that path may have been replaced.

Each message is a length in four bytes and that many bytes of `marshal`. The process first writes an empty list, or a
list with the problem of the file. Then it reads pairs: the rows of single events, which most jobs are, and other jobs.
It answers each pair with a pair of lists, one answer for each event and each job. An answer is the number of rows that
the job's last statement changed, an empty text for a conflict, or the text of an error. If all single events were
written their list is empty.

After each transaction the process checks that the database is still at its path. If the file was deleted or replaced,
nothing counts as written: a restart would not find it.

The process ends when its input ends. Until then, and until its connection is closed, it holds a shared lock on a file
beside the database: the next server waits for it. It imports only the standard library, so it is small and starts fast.
"""

from __future__ import annotations

import signal

if (
    __name__ == "__main__"
):  # the server gets these signals, and then still has jobs to write; ignore them from the start
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

import marshal
import os
import sqlite3
import sys
from bisect import bisect_left
from typing import Any

if sys.platform != "win32":
    import fcntl

LENGTH_BYTES = 4
WRITER_LOCK_SUFFIX = "-writing"  # of the file that every writer process of a database locks, together
# rows per statement; few sizes, so that all statements stay prepared
STATEMENT_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
MAX_ROWS_PER_STATEMENT = STATEMENT_SIZES[-1]
INSERT_EVENTS = [
    f"INSERT INTO events (room, seq, payload) SELECT * FROM (VALUES {','.join(['(?,?,?)'] * size)}) "
    "WHERE column1 IS NOT NULL"  # rows without a room are padding
    for size in STATEMENT_SIZES
]
UPSERT_ROOM = """
    INSERT INTO rooms (room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info)
    VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
    ON CONFLICT (room) DO UPDATE SET game=excluded.game, status=excluded.status, result=excluded.result,
      private=excluded.private, player0=excluded.player0, player1=excluded.player1, name0=excluded.name0,
      name1=excluded.name1, deadline=excluded.deadline, changed_at=excluded.changed_at, info=excluded.info
"""


Values = tuple[Any, ...]
Rows = list[Any]  # flat: room, seq and payload of each event
# Written all or nothing: events; rows of the room index; other statements with their values
Job = tuple[Rows, tuple[Values, ...], tuple[tuple[str, Values], ...]]
Answer = int | str


class BatchWriter:
    """Writes batches of events and jobs to the database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, rows: Rows, jobs: list[Job]) -> tuple[list[Answer], list[Answer]]:
        """Write everything in one transaction. If that fails, write each event and each job on its own."""
        try:
            try:
                return [], self._write_together(rows, jobs)
            except sqlite3.OperationalError:
                raise
            except Exception:  # one of them is bad: find it and write the others
                self._roll_back()
                events: list[Job] = [(rows[at : at + 3], (), ()) for at in range(0, len(rows), 3)]
                answers = self._write_each(events + jobs)
                return answers[: len(events)], answers[len(events) :]
        except sqlite3.Error as error:
            self._roll_back()
            problem = f"the database cannot be written: {error}"
            return [problem] * (len(rows) // 3), [problem] * len(jobs)

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()

    def _write_together(self, rows: Rows, jobs: list[Job]) -> list[Answer]:
        if not jobs and len(rows) <= 3 * MAX_ROWS_PER_STATEMENT:  # a single statement is a transaction
            self._insert_events(rows)
            return []
        self._connection.execute("BEGIN IMMEDIATE")
        self._insert_events(rows + [value for events, _, _ in jobs for value in events])
        answers = [self._write_rest(job) for job in jobs]
        self._connection.execute("COMMIT")
        return answers

    def _write_each(self, jobs: list[Job]) -> list[Answer]:
        self._connection.execute("BEGIN IMMEDIATE")
        answers = [self._write_one(job) for job in jobs]
        self._connection.execute("COMMIT")
        return answers

    def _write_one(self, job: Job) -> Answer:
        execute = self._connection.execute
        execute("SAVEPOINT job")
        try:
            self._insert_events(job[0])
            answer = self._write_rest(job)
        except sqlite3.OperationalError:
            raise
        except Exception as error:
            execute("ROLLBACK TO job")
            execute("RELEASE job")
            return "" if isinstance(error, sqlite3.IntegrityError) else f"this cannot be stored: {error}"
        execute("RELEASE job")
        return answer

    def _insert_events(self, rows: Rows) -> None:
        for at in range(0, len(rows), 3 * MAX_ROWS_PER_STATEMENT):
            part = rows[at : at + 3 * MAX_ROWS_PER_STATEMENT]
            index = bisect_left(STATEMENT_SIZES, len(part) // 3)
            part += [None] * (3 * STATEMENT_SIZES[index] - len(part))
            self._connection.execute(INSERT_EVENTS[index], part)

    def _write_rest(self, job: Job) -> Answer:
        _, rooms, statements = job
        for room in rooms:
            self._connection.execute(UPSERT_ROOM, room)
        changed = 0
        for sql, values in statements:
            changed = self._connection.execute(sql, values).rowcount
        return changed


def connect(path: str, busy: float, shared: bool = False) -> sqlite3.Connection:
    """Open the database: commits survive a power failure.

    `busy`: seconds to wait for a lock. `shared`: threads use the connection in turn.
    """
    connection = sqlite3.connect(path, timeout=busy, isolation_level=None, check_same_thread=not shared)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    connection.execute("PRAGMA temp_store = MEMORY")  # no file for statement journals
    return connection


def pack(message: Any) -> bytes:
    """Return a message with its length in front. Raises ValueError if it cannot be marshalled."""
    data = marshal.dumps(message)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def find_problem(path: str, device: int, inode: int) -> str:
    """Return what is wrong with the file, empty if nothing is."""
    try:
        file = os.stat(path)  # noqa: PTH116  # importing pathlib takes as long as everything else
    except FileNotFoundError:
        return f"the database {path} was deleted: put it back, or restore a backup and restart the server"
    except OSError as error:
        return f"cannot use the database {path}: {error.strerror}"
    same = file.st_dev == device and file.st_ino == inode
    return "" if same else f"the database {path} was replaced by another file: restart the server"


def hold_lock(path: str) -> None:
    """Lock a file beside the database, together with other writers, until the process ends. Raises OSError."""
    if sys.platform == "win32":
        return
    descriptor = os.open(os.path.realpath(path) + WRITER_LOCK_SUFFIX, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError:  # this file system has no locks
        os.close(descriptor)


def main(path: str, busy: str, device: str, inode: str) -> None:
    """Read jobs from standard input and write answers to standard output until the input ends."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    file = int(device), int(inode)

    def send(message: Any) -> None:
        target.write(pack(message))
        target.flush()

    problem = find_problem(path, *file)
    if not problem:
        try:
            hold_lock(path)
            connection = connect(path, float(busy))
        except OSError as error:
            problem = f"cannot use the database {path}: {error.strerror}"
        except sqlite3.Error as error:
            problem = f"cannot use the database {path}: {error}"
    if problem:
        send([problem])
        return
    writer = BatchWriter(connection)
    try:
        send([])
        while len(length := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
            size = int.from_bytes(length, "big")
            data = source.read(size)
            if len(data) < size:  # the server died while it sent this, so it has acknowledged nothing
                break
            rows, jobs = marshal.loads(data)
            events = len(rows) // 3
            answers = writer.write(rows, jobs)
            problem = find_problem(path, *file)
            send(([problem] * events, [problem] * len(jobs)) if problem else answers)
    except BrokenPipeError:  # the server was killed: what it has sent is written, and there is no process to tell
        discard_output()
    finally:
        connection.close()


def discard_output() -> None:
    """Send what standard output still holds nowhere: its flush at exit would fail with a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
