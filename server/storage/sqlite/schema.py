"""Checks before a SQLite file is used: it is ours, it is undamaged, and its schema is current."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing

from protocol.usernames import fold
from server.logs import log
from server.storage.interface import OLDER_SCHEMA, StoreError
from server.storage.migrations import load_migrations
from server.storage.room_index import hide_code

APPLICATION_ID = 0x5041524C  # "PARL": marks the file as ours
CODES_MIGRATION = 5  # hashes the codes of private rooms
NAMES = "SELECT name FROM sqlite_master"
KINDS = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')"
DAMAGED = "the database {} is damaged: restore a backup or use another file"


def explain(error: Exception, path: str) -> str:
    """Return what an error means for the database. An error message that is not UTF-8 also means damage."""
    if isinstance(error, UnicodeError) or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
        return DAMAGED.format(path)
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_AUTH:
        return f"the database {path} has triggers or views that Parlour did not make: remove them or use another file"
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
        return f"cannot use the database {path}: it is not an SQLite database: give --db another file"
    return f"cannot use the database {path}: {error}"


def find_damage(connection: sqlite3.Connection, path: str, table: str = "") -> str:
    """Check the database, or one table. Return a sentence for the operator if it is damaged, else an empty text."""
    try:
        (result,) = connection.execute(f"PRAGMA quick_check({table or 1})").fetchone()
    except sqlite3.OperationalError:  # the file cannot be read at the moment
        return ""
    except (sqlite3.DatabaseError, UnicodeError) as error:
        return explain(error, path)
    return "" if result == "ok" else DAMAGED.format(path)


def read_version(connection: sqlite3.Connection, path: str, newest: int) -> int:
    """Return the version of the schema.

    Raises StoreError if it is newer than this program, or if the database belongs to another program.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and owner != APPLICATION_ID:
        raise StoreError(f"the database {path} belongs to another program: give --db another file")
    if version > newest:
        raise StoreError(
            f"the database {path} was written by a newer Parlour (schema {version}, supported up to {newest}): "
            "start that version or use another file"
        )
    return int(version)


def check_tables(connection: sqlite3.Connection, path: str, version: int) -> None:
    """Raise StoreError unless our tables of a schema are ordinary tables with all columns.

    A file from others may have a view in place of a table, or a computed column. To read them runs SQL of that file.
    """
    with closing(sqlite3.connect(":memory:")) as ours:
        run_migrations(ours, 0, version)
        tables = {name: columns_of(ours, name) for (name,) in ours.execute(f"{NAMES} WHERE type = 'table'").fetchall()}
    kinds = {name.lower(): (kind, sql) for kind, name, sql in connection.execute(KINDS)}
    for name, columns in tables.items():
        kind, sql = kinds.get(name, ("", ""))
        if kind != "table" or not (sql or "").startswith("CREATE TABLE "):
            why = f"it is a {kind}" if kind == "view" else "it is a virtual table" if kind else "it is missing"
        elif lacking := columns - columns_of(connection, name):
            why = f"it has no column {min(lacking)}, or one that is computed"
        else:
            continue
        raise StoreError(f"the database {path} was not written by Parlour, as its table {name} shows: {why}")


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table that are not computed."""
    rows = connection.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,))
    return {name for (name,) in rows}


def require_current_schema(connection: sqlite3.Connection, path: str) -> None:
    """Raise StoreError if a program that only reads cannot use the database."""
    newest = load_migrations(__package__)[-1][0]
    version = read_version(connection, path, newest)
    if version < newest:
        raise StoreError(OLDER_SCHEMA.format(f"the database {path}", version, newest))
    check_tables(connection, path, version)


def migrate(connection: sqlite3.Connection, path: str) -> bool:
    """Bring the database to the current schema. Return whether it was empty. Raises StoreError."""
    connection.execute("BEGIN EXCLUSIVE")  # processes that start at the same time take turns
    try:
        newest = load_migrations(__package__)[-1][0]
        version = read_version(connection, path, newest)
        check_tables(connection, path, version)
        run_migrations(connection, version, newest)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.close()
        raise
    if 0 < version < CODES_MIGRATION:
        erase_free_space(connection, path)
    return version == 0


def run_migrations(connection: sqlite3.Connection, version: int, newest: int) -> None:
    """Bring an open transaction from one version of the schema to another."""
    connection.create_function("fold", 1, fold, deterministic=True)
    connection.create_function("hide_code", 1, hide_code, deterministic=True)
    for number, script in load_migrations(__package__):
        if version < number <= newest:
            for statement in split_statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")


def erase_free_space(connection: sqlite3.Connection, path: str) -> None:
    """Rewrite the file: the free space of its pages may still hold what a migration has replaced."""
    log("rewriting_database", db=path, why="its free space may contain clear codes of private rooms")
    try:
        connection.execute("PRAGMA temp_store = FILE")  # the copy may be larger than the memory
        connection.execute("VACUUM")
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        connection.execute("PRAGMA temp_store = MEMORY")
        problem = "another process uses the database" if busy else ""
    except sqlite3.OperationalError as error:  # for example, the disk has no room for the copy
        problem = str(error)
    if problem:
        how = f"stop all programs that use it and run: sqlite3 {path} VACUUM"
        why = f"{problem}; the file may still contain clear codes of private rooms: {how}"
        log("codes_not_erased", logging.WARNING, why=why)


def split_statements(script: str) -> Iterator[str]:
    """Yield the statements of a script. `executescript` would commit the transaction before it runs them.

    Raises ValueError if the last statement is incomplete.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError(f"incomplete SQL statement: {statement.strip()[:60]}")
