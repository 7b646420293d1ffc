"""Checks of a database file before it is used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.interface import StoreError, Unavailable
from server.storage.sqlite.files import check_path, lock_database
from server.storage.sqlite.schema import APPLICATION_ID, explain, find_damage
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.writer_process import MAX_VALUE_BYTES
from server.storage.tables import EVENTS, Table


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


# -- files from others


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
COLUMNS = "room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at"


async def changed(path: str, *statements: str) -> SqliteStore:
    """Return an unopened store whose file was changed by statements."""
    store = SqliteStore(path)
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return SqliteStore(path)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        (("DROP TABLE keys", f"CREATE VIEW keys AS {ENDLESS} SELECT i AS name FROM n"), "keys shows: it is a view"),
        (("DROP TABLE keys", "CREATE VIEW Keys AS SELECT 1 AS name, 2 AS value"), "keys shows: it is a view"),
        (("DROP TABLE keys", "CREATE VIRTUAL TABLE keys USING fts4(name, value)"), "keys shows: it is a virtual table"),
        (("DROP TABLE events",), "events shows: it is missing"),
        (("DROP TABLE rooms", f"CREATE TABLE rooms ({COLUMNS})"), "rooms shows: it has no column info"),
        (
            ("DROP TABLE rooms", f"CREATE TABLE rooms ({COLUMNS}, info GENERATED ALWAYS AS (zeroblob(1000)))"),
            "rooms shows: it has no column info, or one that is computed",
        ),
    ],
)  # fmt: skip
async def test_file_with_other_tables_is_refused(
    path: str, statements: tuple[str, ...], problem: str, read_only: bool
) -> None:
    store = await changed(path, *statements)
    with pytest.raises(StoreError, match=f"was not written by Parlour, as its table {problem}"):
        await store.open(read_only=read_only)


async def test_file_with_more_tables_and_columns_is_accepted(path: str) -> None:
    """An operator may have added them. Views of the operator are not read."""
    more = ("CREATE TABLE more (x)", "ALTER TABLE rooms ADD COLUMN more", "CREATE VIEW report AS SELECT * FROM rooms")
    store = await changed(path, *more)
    await store.open()
    assert await store.rooms("", "", 10) == []
    await store.close()


async def test_migration_runs_no_trigger(path: str) -> None:
    """Such a trigger could run forever."""
    first = "DROP TABLE nodes", "CREATE TABLE nodes (node TEXT PRIMARY KEY, alive_at INTEGER NOT NULL)"
    trigger = "CREATE TRIGGER t AFTER DELETE ON retention BEGIN INSERT INTO ran VALUES (1); END"
    older = (
        *(f"DROP TABLE {name}" for name in ("account_keys", "reviews", "downtimes", "present", "keys", "copies")),
        *(f"DROP INDEX {name}" for name in ("rooms_open_game", "accounts_change", "rooms_by_end")),
        "DROP TABLE archives",
        "ALTER TABLE accounts DROP COLUMN change",
    )
    store = await changed(path, *first, *older, "CREATE TABLE ran (x)", trigger, "PRAGMA user_version = 5")
    with pytest.raises(StoreError, match="has triggers or views that Parlour did not make: remove them or use another"):
        await store.open()


async def test_views_are_not_read(path: str) -> None:
    """The list of tables can be forged, so SQLite itself must refuse."""
    store = await changed(path, f"CREATE VIEW report AS {ENDLESS} SELECT i AS room FROM n")
    await store.open(read_only=True)
    with pytest.raises(Unavailable, match="the database cannot be read: not authorized"):
        await store.read_rows(Table("report", 1, ("room",)))
    await store.close()


async def test_huge_values_are_not_read(path: str) -> None:
    store = await changed(path, f"INSERT INTO events VALUES ('r', 1, zeroblob({MAX_VALUE_BYTES + 1}))")
    await store.open(read_only=True)
    with pytest.raises(Unavailable, match="string or blob too big"):
        await store.read_rows(EVENTS)
    await store.close()
