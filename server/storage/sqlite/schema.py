"""Checks before a SQLite file is used: it is free, it is ours, it is undamaged, and its schema is current."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from os.path import realpath
from pathlib import Path
from typing import IO

from protocol.usernames import fold
from runtime.file_lock import try_lock
from server.storage.interface import DB_HINT, StoreError
from server.storage.migrations import load_migrations

APPLICATION_ID = 0x5041524C  # "PARL": marks the file as ours
DAMAGED = "the database {} is damaged: restore a backup or use another file"


def lock_database(path: str) -> IO[bytes]:
    """Open and lock a file beside the database. The lock ends with the process, however the process ends.

    The file is beside the database itself, not beside a link to it. Raises StoreError if another server holds the lock.
    """
    try:
        held = Path(f"{realpath(path)}-serving").open("ab")  # noqa: SIM115  # it stays open
    except OSError as error:
        raise unusable(path, error) from None
    if not try_lock(held.fileno()):
        held.close()
        raise StoreError(f"the database {path} is in use by another server: stop that server or give --db another file")
    return held


def check_path(path: str, create: bool) -> None:
    """Raise StoreError for :memory:, a missing folder, or, if `create` is false, a missing file."""
    if path == ":memory:":
        raise StoreError("cannot use the database :memory:, which would lose all games: give --db the name of a file")
    file = Path(path)
    try:
        if not file.parent.is_dir():
            raise StoreError(f"cannot use the database {path}: there is no folder {file.parent}")
        if not create and (not file.exists() or file.stat().st_size == 0):
            raise StoreError(f"there is no database {path}: {DB_HINT}")
    except OSError as error:
        raise unusable(path, error) from None


def unusable(path: str, error: OSError) -> StoreError:
    return StoreError(f"cannot use the database {path}: {error.strerror}")


def explain(error: Exception, path: str) -> str:
    """Return what an error means for the database. An error message that is not UTF-8 also means damage."""
    if isinstance(error, UnicodeError) or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
        return DAMAGED.format(path)
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


def migrate(connection: sqlite3.Connection, path: str) -> bool:
    """Bring the database to the current schema. Return whether it was empty.

    Raises StoreError if its schema is newer than this program, or if it belongs to another program.
    """
    connection.create_function("fold", 1, fold, deterministic=True)
    connection.execute("BEGIN EXCLUSIVE")  # processes that start at the same time take turns
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        migrations = load_migrations(__package__)
        newest = migrations[-1][0]
        if tables and owner != APPLICATION_ID:
            raise StoreError(f"the database {path} belongs to another program")
        if version > newest:
            raise StoreError(
                f"the database {path} was written by a newer Parlour (schema {version}, supported up to {newest}): "
                "start that version or use another file"
            )
        for number, script in migrations:
            if number > version:
                for statement in split_statements(script):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
        return bool(version == 0)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.close()
        raise


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
