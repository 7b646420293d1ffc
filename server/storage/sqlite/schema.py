"""Checks before a SQLite file is used: it is ours, it is undamaged, and its schema is current."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator

from protocol.usernames import fold
from server.logs import log
from server.storage.interface import OLDER_SCHEMA, StoreError
from server.storage.migrations import load_migrations
from server.storage.room_index import hide_code

APPLICATION_ID = 0x5041524C  # "PARL": marks the file as ours
CODES_MIGRATION = 5  # hashes the codes of private rooms
DAMAGED = "the database {} is damaged: restore a backup or use another file"


def explain(error: Exception, path: str) -> str:
    """Return what an error means for the database. An error message that is not UTF-8 also means damage."""
    if isinstance(error, UnicodeError) or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
        return DAMAGED.format(path)
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


def require_current_schema(connection: sqlite3.Connection, path: str) -> None:
    """Raise StoreError if a program that only reads cannot use the database."""
    newest = load_migrations(__package__)[-1][0]
    version = read_version(connection, path, newest)
    if version < newest:
        raise StoreError(OLDER_SCHEMA.format(f"the database {path}", version, newest))


def migrate(connection: sqlite3.Connection, path: str) -> bool:
    """Bring the database to the current schema. Return whether it was empty. Raises StoreError."""
    connection.create_function("fold", 1, fold, deterministic=True)
    connection.create_function("hide_code", 1, hide_code, deterministic=True)
    connection.execute("BEGIN EXCLUSIVE")  # processes that start at the same time take turns
    try:
        migrations = load_migrations(__package__)
        version = read_version(connection, path, migrations[-1][0])
        for number, script in migrations:
            if number > version:
                for statement in split_statements(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
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
