"""The files of a database: their rights, and waiting for the writer process of a killed server."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.interface import Append, StoreError, append_and_wait
from server.storage.sqlite import files
from server.storage.sqlite.files import JOURNAL_MAGIC, restrict_rights, wait_for_writers
from server.storage.sqlite.store import SqliteStore
from tests.e2e.local_server import until

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_SH)
print(flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file rights and no flock")


def rights(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def open_rights(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o664)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "parlour.db")


@pytest.fixture
def no_umask() -> object:
    before = os.umask(0)
    yield
    assert os.umask(before) == 0, "the store does not change it"


@pytest.mark.usefixtures("no_umask")
async def test_new_files_are_private(path: str, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open(serving=True)
    await append_and_wait(store, Append("r", 0, (b"a",)))
    names = {f"parlour.db{suffix}" for suffix in ("", "-wal", "-shm", "-serving", "-writing")}
    assert rights(tmp_path) == dict.fromkeys(names, 0o600)
    await store.close()


@pytest.mark.usefixtures("no_umask")
async def test_existing_files_are_made_private(path: str, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open(serving=True)
    open_rights(tmp_path)
    (tmp_path / "parlour.db.bak").touch(0o644)
    restrict_rights(path)  # the files are in use, as after a crash
    assert {name: mode for name, mode in rights(tmp_path).items() if mode != 0o600} == {"parlour.db.bak": 0o644}
    await store.close()


def test_rights_follow_a_link(path: str, tmp_path: Path) -> None:
    (tmp_path / "real.db").touch(0o644)
    Path(path).symlink_to(tmp_path / "real.db")
    restrict_rights(path)
    assert rights(tmp_path)["real.db"] == 0o600


def test_rights_that_cannot_be_changed_are_logged(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Path(path).touch()
    Path(path).chmod(0o644)

    def refuse(file: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    restrict_rights(path)
    assert [record.getMessage() for record in caplog.records] == ["rights_open"]


async def test_server_waits_for_the_writer_of_a_killed_server(path: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parlour")
    orphan = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, f"{path}-writing", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert orphan.stdout is not None
    assert orphan.stdin is not None
    await orphan.stdout.readline()
    waiting = asyncio.create_task(wait_for_writers(path))
    await until("it says what it waits for", lambda: caplog.records)
    assert not waiting.done()
    orphan.stdin.close()
    await waiting
    await orphan.wait()
    assert [record.getMessage() for record in caplog.records] == ["waiting_for_writer", "writer_finished"]


async def test_wait_ends_with_a_sentence(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WRITER_WAIT_S", 0.0)
    store = SqliteStore(path)
    await store.open()  # not serving: as `parlour account` does
    with pytest.raises(StoreError, match=r"still being written .* end that process, and start again"):
        await SqliteStore(path).open(serving=True)
    await store.close()
    again = SqliteStore(path)
    await again.open(serving=True)
    await again.close()


# -- files from others


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal", "-serving", "-writing"])
async def test_link_beside_a_database_is_refused(path: str, tmp_path: Path, suffix: str) -> None:
    """The link could lead to any file of the operator."""
    (tmp_path / "precious").touch(0o644)
    (tmp_path / f"parlour.db{suffix}").symlink_to(tmp_path / "precious")
    with pytest.raises(StoreError, match=f"{suffix} is a link: a database needs a file there; remove the link"):
        await SqliteStore(path).open()
    assert (tmp_path / "precious").read_bytes() == b""
    assert stat.S_IMODE((tmp_path / "precious").stat().st_mode) == 0o644


def leave_journal(path: str, victim: bytes = b"") -> Path:
    """Write the journal of an unfinished transaction. `victim`: the file that is deleted when it is rolled back."""
    file = Path(f"{path}-journal")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE more AS SELECT randomblob(1000) FROM sqlite_master AS a, sqlite_master AS b")
        journal = file.read_bytes()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute("ROLLBACK")
    if victim:
        numbers = 0x40000000 // page + 1, len(victim), sum(victim)
        first, length, total = (number.to_bytes(4, "big") for number in numbers)
        journal += first + victim + length + total + JOURNAL_MAGIC
    file.write_bytes(journal)
    return file


async def test_journal_cannot_delete_another_file(path: str, tmp_path: Path) -> None:
    await (store := SqliteStore(path)).open()
    await store.close()
    (tmp_path / "precious").touch()
    leave_journal(path, bytes(tmp_path / "precious"))
    with pytest.raises(StoreError, match="not written by Parlour, and lets SQLite delete another file: remove it"):
        await SqliteStore(path).open(read_only=True)
    assert (tmp_path / "precious").exists()


async def test_ordinary_journal_is_rolled_back(path: str) -> None:
    await (store := SqliteStore(path)).open()
    await store.close()
    journal = leave_journal(path)
    await store.open()
    await store.close()
    assert not journal.exists()
