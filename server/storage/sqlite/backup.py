"""Copy a SQLite database into a new file while servers use it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from server.storage.interface import StoreError
from server.storage.sqlite.schema import explain
from server.storage.tables import TABLES

UNFINISHED_SUFFIX = ".unfinished"


def back_up(path: str, target: str, reader: sqlite3.Connection) -> int:
    """Copy the database as it is at this moment, and verify the copy. Return its size in bytes.

    The copy is made in one step: with several, it would begin again after every write of a server. The file gets its
    name when it is complete. Raises StoreError.
    """
    if Path(target).exists():
        raise StoreError(f"{target} exists: give the name of a new file, or remove it")
    unfinished = Path(target + UNFINISHED_SUFFIX)
    try:
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        reader.execute("BEGIN")  # the copy and the counts are of the same moment
        try:
            with closing(sqlite3.connect(unfinished)) as copy:
                reader.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # a single file
                verify(reader, copy, target)
        finally:
            reader.execute("ROLLBACK")
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
        return Path(target).stat().st_size
    except sqlite3.Error as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(explain(error, path)) from None
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(f"cannot write {target}: {error.strerror}") from None


def verify(source: sqlite3.Connection, copy: sqlite3.Connection, target: str) -> None:
    """Raise StoreError if the copy is damaged or has other numbers of rows."""
    (result,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    counts = "SELECT " + ", ".join(f"(SELECT count(*) FROM {table.name})" for table in TABLES)
    if result != "ok" or source.execute(counts).fetchone() != copy.execute(counts).fetchone():
        raise StoreError(f"the backup {target} differs from the database: check both disks, and run 'parlour db check'")
