"""The process that writes the database: each message it reads becomes one transaction and gets one answer.

    python -I -S writer_process.py FILE SECONDS DEVICE INODE [SOCKET]

The arguments: the database, how long to wait while another process has it locked, and the device and inode that the
file must have, because the file at that path may have been replaced. With SOCKET, the process also serves the workers
that connect to that unix socket: the messages that are ready at the same time become one transaction.

Each message is a length in four bytes and that many bytes of `marshal`. The process first writes an empty list, or a
list with the problem of the file. Then it reads pairs: the rows of single events, which most jobs are, and other jobs.
It answers each pair with a pair of lists, one answer for each event and each job. An answer is the number of rows that
the job's last statement changed, an empty text for a conflict, or the text of an error. If all single events were
written their list is empty.

After each transaction the process checks that the database is still at its path. If the file was deleted or replaced,
nothing counts as written: a restart would not find it.

The process ends when its input has ended and no worker is connected. Until then, and until its connection is closed,
it holds a shared lock on a file beside the database: the next server waits for it. It imports only the standard
library, so it is small and starts fast.
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
READ_BYTES = 1 << 16  # what a pipe holds; a larger buffer is mapped and unmapped by the kernel for every read
MAX_VALUE_BYTES = 1 << 26  # of a row, in a file from others
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
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        connection.execute("PRAGMA temp_store = MEMORY")  # no file for statement journals
        connection.execute("PRAGMA trusted_schema = OFF")  # a file from others may compute what it likes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    except sqlite3.Error:
        connection.close()
        raise
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


class Source:
    """A process that sends jobs: the server through standard input, or a worker through a connection."""

    def __init__(self, connection: Any = None) -> None:
        self._connection = connection
        self._buffer = b""

    def fileno(self) -> int:
        """Return the descriptor that messages are read from."""
        return int((self._connection or sys.stdin).fileno())

    def receive(self) -> list[Batch] | None:
        """Wait for data, and return the messages that are complete, or None at the end of the input."""
        try:
            data = os.read(self.fileno(), READ_BYTES)
        except OSError:
            data = b""
        if not data:  # an incomplete message is not written: its sender has acknowledged nothing
            return None
        self._buffer += data
        messages: list[Batch] = []
        while len(self._buffer) >= LENGTH_BYTES:
            end = LENGTH_BYTES + int.from_bytes(self._buffer[:LENGTH_BYTES], "big")
            if len(self._buffer) < end:
                break
            messages.append((self, *marshal.loads(self._buffer[LENGTH_BYTES:end])))
            self._buffer = self._buffer[end:]
        return messages

    def send(self, message: Any) -> None:
        """Send an answer. A sender that was killed needs none: what it has sent is written.

        Its connection stays open until `receive` has found the end of the input.
        """
        try:
            if self._connection is None:
                sys.stdout.buffer.write(pack(message))
                sys.stdout.buffer.flush()
            else:
                self._connection.sendall(pack(message))
        except OSError:
            if self._connection is None:
                discard_output()

    def close(self) -> None:
        """Send nothing more."""
        if self._connection is None:
            discard_output()
        else:
            self._connection.close()


Batch = tuple[Source, Rows, list[Job]]  # a message, and where it comes from


class StandardInput:
    """The only source of a server without workers."""

    def __init__(self) -> None:
        self._source = Source()
        self._source.send([])

    def receive(self) -> list[Batch] | None:
        """Wait for messages, and return them, or None at the end of the input."""
        return self._source.receive()


class Workers:
    """Standard input of the parent process, and the connections of its workers to a unix socket."""

    def __init__(self, address: str) -> None:
        import selectors  # the process without workers starts faster
        import socket

        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        remove(address)  # of a process that was killed
        self._listener.bind(address)
        self._listener.listen()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._sources = 0
        self._add(Source())

    def receive(self) -> list[Batch] | None:
        """Wait for messages, and return all that are ready, or None when the last source has ended."""
        messages: list[Batch] = []
        while self._sources and not messages:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    self._add(Source(self._listener.accept()[0]))
                else:
                    messages += self._receive(key.fileobj)
        return messages or None

    def _add(self, source: Source) -> None:
        self._sources += 1
        self._selector.register(source, 1)
        source.send([])

    def _receive(self, source: Any) -> list[Batch]:
        messages: list[Batch] | None = source.receive()
        if messages is None:
            self._sources -= 1
            self._selector.unregister(source)
            source.close()
        return messages or []


def answer(writer: BatchWriter, messages: list[Batch], path: str, file: tuple[int, int]) -> None:
    """Write messages in one transaction, and answer each of them."""
    counts = [(len(rows) // 3, len(jobs)) for _, rows, jobs in messages]
    rows = messages[0][1] if len(messages) == 1 else [value for _, rows, _ in messages for value in rows]
    events, others = writer.write(rows, [job for _, _, jobs in messages for job in jobs])
    problem = find_problem(path, *file)
    for (source, _, _), (event_count, job_count) in zip(messages, counts, strict=True):
        if problem:
            source.send(([problem] * event_count, [problem] * job_count))
        else:
            source.send((events[:event_count], others[:job_count]))
        events, others = events[event_count:], others[job_count:]


def main(path: str, busy: str, device: str, inode: str, address: str = "") -> None:
    """Serve jobs from standard input, and from the connections to `address`, until all of them end."""
    file = int(device), int(inode)
    problem = find_problem(path, *file)
    if not problem:
        try:
            hold_lock(path)
            connection = connect(path, float(busy))
            source = Workers(address) if address else StandardInput()
        except OSError as error:
            problem = f"cannot use the database {path}: {error.strerror}"
        except sqlite3.Error as error:
            problem = f"cannot use the database {path}: {error}"
    if problem:
        Source().send([problem])
        return
    writer = BatchWriter(connection)
    try:
        while (messages := source.receive()) is not None:
            if messages:
                answer(writer, messages, path, file)
    finally:
        connection.close()


def remove(address: str) -> None:
    """Remove a socket, if it is there."""
    try:
        os.unlink(address)  # noqa: PTH108  # importing pathlib takes as long as everything else
    except FileNotFoundError:
        return


def discard_output() -> None:
    """Send what standard output still holds nowhere: its flush at exit would fail with a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main(*sys.argv[1:])
