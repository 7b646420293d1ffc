"""Before a database file is used: whether it is free, whether it is ours, and whether it is up to date."""

from __future__ import annotations

import sqlite3
from os.path import realpath
from pathlib import Path
from typing import IO

from protocol.usernames import fold
from runtime.file_lock import try_lock
from server.storage.interface import DB_HINT, StoreError
from server.storage.sqlite.migrations import migrations

APPLICATION = 0x5041524C  # "PARL": marks the file as ours
DAMAGED = "the database {} is damaged: put a backup in its place, or use another file"


def claim(path: str) -> IO[bytes]:
    """A file beside the database that is locked as long as this server lives, however it ends; StoreError if it is.

    Beside the database itself, not beside a link to it.
    """
    try:
        held = Path(f"{realpath(path)}-serving").open("ab")  # noqa: SIM115  # it stays open
    except OSError as error:
        raise unusable(path, error) from None
    if not try_lock(held.fileno()):
        held.close()
        raise StoreError(f"another server uses the database {path}; stop that one, or give --db another file")
    return held


def check_place(path: str, create: bool) -> None:
    """StoreError if there can be no database, or none but a new one."""
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


def trouble(error: Exception, path: str) -> str:
    """What an error says of the database; one that quotes what is no text comes from damage, too."""
    if isinstance(error, UnicodeError) or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CORRUPT:
        return DAMAGED.format(path)
    return f"cannot use the database {path}: {error}"


def find_damage(connection: sqlite3.Connection, path: str, table: str = "") -> str:
    """One sentence, if anything is wrong with it, or with one table."""
    try:
        (found,) = connection.execute(f"PRAGMA quick_check({table or 1})").fetchone()
    except sqlite3.OperationalError:  # it cannot be read at all now
        return ""
    except (sqlite3.DatabaseError, UnicodeError) as error:
        return trouble(error, path)
    return "" if found == "ok" else DAMAGED.format(path)


def migrate(connection: sqlite3.Connection, path: str) -> bool:
    """Bring the database to what this program knows, and say whether it was empty.

    Refuse one that knows more, or is not ours.
    """
    connection.create_function("fold", 1, fold, deterministic=True)
    connection.execute("BEGIN EXCLUSIVE")  # two programs starting at once take turns
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        steps = migrations()
        newest = steps[-1][0]
        if tables and owner != APPLICATION:
            raise StoreError(f"the database {path} belongs to another program")
        if version > newest:
            raise StoreError(
                f"the database {path} was written by a newer Parlour (its schema is {version}, this program knows "
                f"{newest}); start that version, or use another file"
            )
        for number, sql in steps:
            if number > version:
                for statement in sql.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute("COMMIT")
        return bool(version == 0)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.close()
        raise
