"""Migrations: names are folded in old databases, and scripts are split into statements."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from protocol.codec import MSGPACK, decode_event
from protocol.events import Created
from protocol.types import TimeControl
from protocol.usernames import fold
from server.domain.codes import is_code
from server.storage.factory import open_store
from server.storage.interface import Store, StoreError, digest
from server.storage.migrations import load_migrations
from server.storage.sqlite.schema import APPLICATION_ID, split_statements
from server.storage.sqlite.store import SqliteStore

ACCOUNTS = [("José", "p1", 1), ("JOSÉ", "p2", 2), ("jose", "p3", 3)]


async def check_folded_names(store: Store) -> None:
    await store.open()
    owner = await store.account_named("josÉ")
    assert owner is not None
    assert owner.player == "p1"
    assert await store.account_of_token("p2") is not None
    assert not await store.add_account("josé", "p4", "p4", 9)
    assert await store.history("", "JOSÉ", None, 9) == [(5, b"i")]
    await store.close()


async def test_sqlite_file_with_unfolded_names_is_migrated(tmp_path: object) -> None:
    path = f"{tmp_path}/parlour.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        for _, sql in load_migrations("server.storage.sqlite")[:2]:
            connection.executescript(sql)
        connection.execute("PRAGMA user_version = 2")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for name, player, at in ACCOUNTS:
            connection.execute("INSERT INTO accounts VALUES (?,?,?,?,NULL)", (digest(player), name, player, at))
        connection.execute(
            "INSERT INTO rooms VALUES ('r','conga','ended','1-0',0,'p1','p9','José','ben',NULL,5,?)", (b"i",)
        )
    connection.close()
    await check_folded_names(open_store(path))


async def older_postgres(database: str, version: int) -> asyncpg.Connection:
    """Return a connection to an empty database with an older schema."""
    connection = await asyncpg.connect(database)
    await connection.execute("CREATE TABLE parlour_schema (version integer NOT NULL)")
    for _, sql in load_migrations("server.storage.postgres")[:version]:
        await connection.execute(sql)
    await connection.execute("INSERT INTO parlour_schema VALUES ($1)", version)
    return connection


async def test_postgres_database_with_unfolded_names_is_migrated(database: str) -> None:
    connection = await older_postgres(database, 3)
    for name, player, at in ACCOUNTS:
        await connection.execute("INSERT INTO accounts VALUES ($1,$2,$3,$4,NULL)", digest(player), name, player, at)
    await connection.execute(
        "INSERT INTO rooms VALUES ('r','conga','ended','1-0',false,'p1','p9','José','ben',NULL,5,$1)", b"i"
    )
    await connection.close()
    await check_folded_names(open_store(database))


def test_script_is_split_where_statements_end() -> None:
    script = """-- a comment; with a semicolon
CREATE TABLE t (x TEXT DEFAULT ';');
CREATE TRIGGER r AFTER INSERT ON t BEGIN
    DELETE FROM t;
END;
"""
    first, second = split_statements(script)
    assert first.endswith("DEFAULT ';');\n")
    assert second.startswith("CREATE TRIGGER")


def test_incomplete_statement_is_an_error() -> None:
    with pytest.raises(ValueError, match="incomplete SQL statement: CREATE TABLE t"):
        list(split_statements("CREATE TABLE t (x)"))


@pytest.mark.parametrize("package", ["server.storage.sqlite", "server.storage.postgres"])
def test_migrations_are_numbered_without_gaps(package: str) -> None:
    numbers = [number for number, _ in load_migrations(package)]
    assert numbers == list(range(1, len(numbers) + 1))


CREATED = Created(
    room="r", seq=1, at=5, game="conga", options={}, clock=TimeControl(), by="p1", private=True, code="k7d3m9q2xw"
)
OPEN_ROOM = "'waiting','*',{},'p1','','','',NULL,5"


CODE = CREATED.code.encode()


def stored_bytes(path: str) -> bytes:
    """Return the bytes of a database and of its log."""
    return b"".join(file.read_bytes() for file in sorted(Path(path).parent.glob("parlour.db*")))


async def make_older(path: str) -> None:
    """Create a database with the schema before codes were hashed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.create_function("fold", 1, fold, deterministic=True)
        for _, sql in load_migrations("server.storage.sqlite")[:4]:
            connection.executescript(sql)
        connection.execute("PRAGMA user_version = 4")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


async def check_hidden_code(store: Store) -> None:
    await store.open()
    [payload] = await store.events("r")
    assert CODE not in payload
    setup = decode_event(payload)
    assert isinstance(setup, Created)
    assert is_code(setup, "k7d3m9q2xw")
    assert await store.events("damaged") == [b"\xc1"]
    await store.close()


async def test_codes_in_a_sqlite_file_are_hashed(tmp_path: object) -> None:
    path = f"{tmp_path}/parlour.db"
    await make_older(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        for room, payload in (("r", MSGPACK.encode(CREATED)), ("damaged", b"\xc1")):
            connection.execute(f"INSERT INTO rooms VALUES (?,'conga',{OPEN_ROOM.format(1)},?)", (room, b"i"))
            connection.execute("INSERT INTO events VALUES (?,1,?)", (room, payload))
    connection.close()
    assert CODE in stored_bytes(path)
    migrated = open_store(path)
    await check_hidden_code(migrated)
    assert CODE not in stored_bytes(path)


async def test_codes_in_the_free_space_of_a_sqlite_file_are_erased(tmp_path: Path) -> None:
    """The log is not checkpointed at the end of the migration's transaction, and pages keep what was deleted."""
    path = str(tmp_path / "parlour.db")
    await make_older(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA secure_delete = OFF")  # some builds of SQLite switch it on
        connection.executemany(
            "INSERT INTO events VALUES (?,1,?)", [(f"x{n}", MSGPACK.encode(CREATED)) for n in range(99)]
        )
        connection.execute("DELETE FROM events WHERE room LIKE 'x%'")
    assert CODE in stored_bytes(path)
    store = open_store(path)
    await store.open()
    assert CODE not in stored_bytes(path)
    await store.close()


async def test_failure_to_erase_codes_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = str(tmp_path / "parlour.db")
    await make_older(path)
    store = SqliteStore(path, busy=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM rooms").fetchall()
        await store.open()
    await store.close()
    [record] = caplog.records
    assert record.getMessage() == "codes_not_erased"
    assert "may still contain clear codes" in record.fields["why"]  # type: ignore[attr-defined]


async def test_read_only_store_refuses_an_older_schema_and_changes_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "parlour.db")
    await make_older(path)
    before = stored_bytes(path)
    store = SqliteStore(path)
    with pytest.raises(StoreError, match="has schema 4, and this Parlour needs"):
        await store.open(create=False, read_only=True)
    assert stored_bytes(path) == before


async def test_read_only_store_of_an_older_postgres_database_is_refused(database: str) -> None:
    store = open_store(database)
    with pytest.raises(StoreError, match="is empty"):
        await store.open(create=False, read_only=True)
    await store.open()
    await store.close()
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE parlour_schema SET version = 6")
    with pytest.raises(StoreError, match="has schema 6, and this Parlour needs"):
        await store.open(create=False, read_only=True)
    assert await connection.fetchval("SELECT version FROM parlour_schema") == 6
    await connection.close()


async def test_codes_in_a_postgres_database_are_hashed(database: str) -> None:
    connection = await older_postgres(database, 6)
    for room, payload in (("r", MSGPACK.encode(CREATED)), ("damaged", b"\xc1")):
        await connection.execute(f"INSERT INTO rooms VALUES ($1,'conga',{OPEN_ROOM.format(True)},$2)", room, b"i")
        await connection.execute("INSERT INTO events VALUES ($1,1,$2)", room, payload)
    await connection.close()
    await check_hidden_code(open_store(database))
