"""Checks of a database file before it is used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.interface import StoreError
from server.storage.sqlite.files import check_path, lock_database
from server.storage.sqlite.schema import APPLICATION_ID, explain, find_damage
from server.storage.sqlite.store import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "parlour.db")


async def test_newer_database_is_refused(path: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE future (x)")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match=r"newer Parlour \(schema 999"):
        await SqliteStore(path).open()


async def test_files_of_other_programs_are_refused(path: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE stranger (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        await SqliteStore(path).open()
    (tmp_path / "notes.txt").write_text("these are just notes, not a database at all" * 30)
    with pytest.raises(StoreError, match="it is not an SQLite database: give --db another file"):
        await SqliteStore(str(tmp_path / "notes.txt")).open()
    with pytest.raises(StoreError, match="there is no folder"):
        await SqliteStore(str(tmp_path / "missing" / "x.db")).open()
    with pytest.raises(StoreError, match="it is a folder: give --db the name of a file"):
        await SqliteStore(str(tmp_path)).open()
    with pytest.raises(StoreError, match="--db is empty: give the name of a file"):
        await SqliteStore("").open()


def test_missing_file_is_an_error_unless_it_may_be_created(path: str) -> None:
    check_path(path, create=True)
    with pytest.raises(StoreError, match="there is no database"):
        check_path(path, create=False)


def test_only_one_process_can_lock_a_database(path: str) -> None:
    with (
        lock_database(path),
        pytest.raises(StoreError, match=r"in use by another server: stop that server or give --db another file"),
    ):
        lock_database(path)
    lock_database(path).close()


def test_undecodable_error_message_means_damage(path: str) -> None:
    damaged = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert explain(damaged, path) == f"the database {path} is damaged: restore a backup or use another file"
    assert explain(sqlite3.OperationalError("disk I/O error"), path).endswith(": disk I/O error")


def test_new_database_is_undamaged(path: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert find_damage(connection, path) == ""


def test_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="give --db the name of a file"):
        check_path(":memory:", True)
