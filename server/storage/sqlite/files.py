"""The files of a database: who may read them, and which process uses them.

parlour.db, -wal, -shm    SQLite's own
parlour.db-serving        locked by the one server that runs the games
parlour.db-writing        locked by every writer process, which may outlive its server for a moment
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from contextlib import suppress
from os.path import realpath
from pathlib import Path
from typing import IO

from runtime.file_lock import try_lock
from server.logs import log
from server.storage.interface import DB_HINT, StoreError
from server.storage.sqlite.writer_process import WRITER_LOCK_SUFFIX

SERVER_LOCK_SUFFIX = "-serving"
ALL_SUFFIXES = ("", "-wal", "-shm", SERVER_LOCK_SUFFIX, WRITER_LOCK_SUFFIX)
JOURNAL_SUFFIX = "-journal"  # of a transaction before the database was in WAL mode
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")  # ends a journal that names a file, which SQLite then deletes
OTHERS = stat.S_IRWXG | stat.S_IRWXO
WRITER_WAIT_S = 120.0  # for the writer process of a server that was killed
WRITER_POLL_S = 0.05


def check_path(path: str, create: bool) -> None:
    """Raise StoreError for :memory:, a missing folder, links or, if `create` is false, a missing file."""
    if path == ":memory:":
        raise StoreError("cannot use the database :memory:, which would lose all games: give --db the name of a file")
    if not path:
        raise StoreError("--db is empty: give the name of a file")
    file = Path(path)
    try:
        if file.is_dir():
            raise StoreError(f"cannot use the database {path}: it is a folder: give --db the name of a file")
        if not file.parent.is_dir():
            raise StoreError(f"cannot use the database {path}: there is no folder {file.parent}: create it")
        found = stat_of(file)
        if not create and (found is None or found.st_size == 0):
            raise StoreError(f"there is no database {path}: {DB_HINT}")
        if found is not None and found.st_nlink > 1:  # its locks and its -wal file belong to a name, not to the file
            raise StoreError(f"the database {path} has a second name (a hard link): remove that name, or use a copy")
        check_companions(path)
    except OSError as error:
        raise unusable(path, error) from None


def check_companions(path: str) -> None:
    """Raise StoreError if a file beside the database leads to other files. Raises OSError.

    A link leads anywhere. A journal may name a file: SQLite deletes it when it has rolled back the transaction.
    """
    real = realpath(path)
    for suffix in (*ALL_SUFFIXES[1:], JOURNAL_SUFFIX):
        if Path(real + suffix).is_symlink():
            raise StoreError(f"{real}{suffix} is a link: a database needs a file there; remove the link")
    journal = Path(real + JOURNAL_SUFFIX)
    if journal.is_file() and (size := journal.stat().st_size) > len(JOURNAL_MAGIC):
        with journal.open("rb") as file:
            file.seek(size - len(JOURNAL_MAGIC))
            if file.read() == JOURNAL_MAGIC:
                raise StoreError(
                    f"{journal} was not written by Parlour, and lets SQLite delete another file: remove it"
                )


def stat_of(file: Path) -> os.stat_result | None:
    """Return the status of a file, or None if it is missing. Raises OSError if its path cannot be used."""
    try:
        return file.stat()
    except FileNotFoundError:
        return None


def unusable(path: str, error: OSError) -> StoreError:
    return StoreError(f"cannot use the database {path}: {error.strerror}")


def restrict_rights(path: str) -> None:
    """Take all rights on the files from other users. Create a missing database with these rights.

    SQLite gives its other files the rights of the database. Raises StoreError if the file cannot be created.
    """
    if os.name != "posix":
        return
    real = realpath(path)
    try:
        with suppress(FileExistsError):
            os.close(os.open(real, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise unusable(path, error) from None
    for suffix in ALL_SUFFIXES:
        file = Path(real + suffix)
        try:
            mode = file.stat().st_mode
            if stat.S_ISREG(mode) and mode & OTHERS:
                file.chmod(stat.S_IMODE(mode) & ~OTHERS)
                log("rights_restricted", file=str(file))
        except FileNotFoundError:
            continue
        except OSError as error:
            log("rights_open", logging.WARNING, file=str(file), why=f"other users may read it: {error.strerror}")


def lock_database(path: str) -> IO[bytes]:
    """Open and lock a file beside the database. The lock ends with the process, however the process ends.

    The file is beside the database itself, not beside a link to it. Raises StoreError if another server holds the lock.
    """
    held = open_private(path, SERVER_LOCK_SUFFIX)
    if not try_lock(held.fileno()):
        held.close()
        raise StoreError(f"the database {path} is in use by another server: stop that server or give --db another file")
    return held


async def wait_for_writers(path: str) -> None:
    """Wait until no writer process uses the database: one whose server was killed first writes what it has received.

    Raises StoreError if that takes too long.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    with open_private(path, WRITER_LOCK_SUFFIX) as probe:
        if try_lock(probe.fileno()):
            return
        why = "the writer process of a server that was killed, or another command, still writes to the database"
        log("waiting_for_writer", logging.WARNING, why=why, db=path, at_most_s=WRITER_WAIT_S)
        while not try_lock(probe.fileno()):
            if loop.time() - began > WRITER_WAIT_S:
                raise StoreError(
                    f"the database {path} is still being written by a process that holds {path}{WRITER_LOCK_SUFFIX}: "
                    "check the disk, end that process, and start again"
                )
            await asyncio.sleep(WRITER_POLL_S)
        log("writer_finished", waited_s=round(loop.time() - began, 1))


def file_sizes(path: str) -> dict[str, int]:
    """Return the bytes of the database and of its log of recent writes."""
    sizes = {}
    for part, suffix in (("file", ""), ("wal", "-wal")):
        with suppress(OSError):
            sizes[part] = Path(realpath(path) + suffix).stat().st_size
    return sizes


def open_private(path: str, suffix: str) -> IO[bytes]:
    """Open a lock file that only its owner may read. Raises StoreError."""
    try:
        descriptor = os.open(realpath(path) + suffix, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(path, error) from None
    return os.fdopen(descriptor, "rb+", buffering=0)
