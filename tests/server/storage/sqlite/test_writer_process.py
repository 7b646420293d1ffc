"""The writer process: batches, bad jobs, and files that it cannot use."""

from __future__ import annotations

import marshal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.sqlite import writer_process
from server.storage.sqlite.schema import migrate
from server.storage.sqlite.writer_process import MAX_ROWS_PER_STATEMENT, BatchWriter, Job, connect


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


def test_unusable_file_is_reported_in_one_sentence(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("these are just notes, not a database at all" * 30)
    file = notes.stat()
    words = [sys.executable, "-I", "-S", writer_process.__file__, str(notes), "0.1", str(file.st_dev), str(file.st_ino)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert marshal.loads(done.stdout[writer_process.LENGTH_BYTES :]) == [
        f"cannot use the database {notes}: file is not a database"
    ]
    assert done.stderr == b""
