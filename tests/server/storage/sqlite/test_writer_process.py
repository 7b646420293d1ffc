"""The writer process: batches, bad jobs, and files that it cannot use."""

from __future__ import annotations

import marshal
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest

from server.storage.sqlite import writer_process
from server.storage.sqlite.schema import migrate
from server.storage.sqlite.writer_process import LENGTH_BYTES, MAX_ROWS_PER_STATEMENT, BatchWriter, Job, connect, pack
from server.workers.parent import private_folder
from tests.waiting import TIMEOUT_S


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = str(tmp_path / "parlour.db")
    with closing(connect(path, busy=0.05)) as connection:
        migrate(connection, path)
        yield connection


def count(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT count(*) FROM events").fetchone()
    return int(number)


@pytest.mark.parametrize("events", [1, 5, MAX_ROWS_PER_STATEMENT, 2 * MAX_ROWS_PER_STATEMENT + 1])
def test_batches_of_any_size_are_written(connection: sqlite3.Connection, events: int) -> None:
    rows = [value for seq in range(1, events + 1) for value in ("r", seq, b"x")]
    assert BatchWriter(connection).write(rows, []) == ([], [])
    assert count(connection) == events


def test_bad_jobs_do_not_fail_the_others(connection: sqlite3.Connection) -> None:
    writer = BatchWriter(connection)
    writer.write(["taken", 1, b"x"], [])
    revoke: Job = ([], (), (("UPDATE accounts SET revoked_at = ?", (5,)),))
    odd: Job = (["odd", 1, object()], (), ())
    events, jobs = writer.write(["r", 1, b"a", "taken", 1, b"b"], [revoke, odd])
    assert events == [0, ""]
    assert jobs[0] == 0
    assert str(jobs[1]).startswith("this cannot be stored: ")
    assert count(connection) == 2


def test_jobs_are_atomic(connection: sqlite3.Connection) -> None:
    writer = BatchWriter(connection)
    writer.write(["taken", 1, b"x"], [])
    both: Job = (["new", 1, b"a", "taken", 1, b"b"], (), ())
    assert writer.write([], [both]) == ([], [""])
    assert count(connection) == 1


def command_line(path: Path) -> list[str]:
    file = path.stat()
    return [sys.executable, "-I", "-S", writer_process.__file__, str(path), "0.1", str(file.st_dev), str(file.st_ino)]


def test_unusable_file_is_reported_in_one_sentence(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("these are just notes, not a database at all" * 30)
    done = subprocess.run(command_line(notes), stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert marshal.loads(done.stdout[LENGTH_BYTES:]) == [f"cannot use the database {notes}: file is not a database"]
    assert done.stderr == b""


class Writer:
    """A writer process that serves workers."""

    def __init__(self, path: Path, address: str) -> None:
        self._address = address
        self.process = subprocess.Popen([*command_line(path), address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.read(len(pack([]))) == pack([])

    def worker(self) -> socket.socket:
        """Connect as a worker."""
        worker = socket.socket(socket.AF_UNIX)
        worker.settimeout(TIMEOUT_S)
        worker.connect(self._address)
        assert receive(worker) == []
        return worker

    def lose_worker(self) -> None:
        """Connect a worker that dies before the writer process answers its message."""
        with self.worker() as worker:
            os.kill(self.process.pid, signal.SIGSTOP)
            worker.sendall(pack((["r", 1, b"x"], [])))
        os.kill(self.process.pid, signal.SIGCONT)

    def end_input(self) -> int:
        """End standard input, and return the status that the process exits with."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(TIMEOUT_S)


def receive(worker: socket.socket) -> Any:
    size = int.from_bytes(worker.recv(LENGTH_BYTES, socket.MSG_WAITALL), "big")
    return marshal.loads(worker.recv(size, socket.MSG_WAITALL))


@pytest.fixture
def writer(connection: sqlite3.Connection, tmp_path: Path) -> Iterator[Writer]:
    folder = Path(private_folder())
    writer = Writer(tmp_path / "parlour.db", str(folder / "writer"))
    with writer.process:
        yield writer
        writer.process.kill()
    rmtree(folder)


def test_next_worker_is_served_after_one_has_died_during_a_write(
    writer: Writer, connection: sqlite3.Connection
) -> None:
    writer.lose_worker()
    with writer.worker() as worker:
        worker.sendall(pack((["r", 2, b"x"], [])))
        assert receive(worker) == ([], [])
    assert count(connection) == 2, "what the dead worker had sent is written"
    assert writer.end_input() == 0


def test_process_ends_after_a_worker_has_died_during_a_write(writer: Writer) -> None:
    writer.lose_worker()
    assert writer.end_input() == 0
