"""The SQLite store: durability, full disks, locks and secrets."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.interface import Append, Session, Unavailable, append_and_wait
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.writer_process import connect


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "parlour.db")


@pytest.fixture
async def store(path: str) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, busy=0.05)
    await store.open()
    yield store
    await store.close()


def test_commits_are_flushed_to_disk(path: str) -> None:
    with closing(connect(path, busy=0.05)) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_full_disk_rejects_writes_and_loses_nothing(store: SqliteStore, path: str) -> None:
    await append_and_wait(store, Append("r", 0, (b"a",)))
    [(pages,)] = await store._read("PRAGMA page_count")
    await store._write(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(Unavailable, match="full"):
        await append_and_wait(store, Append("r", 1, (b"b" * 100_000,)))
    await store._write("PRAGMA max_page_count = 1000000")
    await append_and_wait(store, Append("r", 1, (b"c",)))
    assert await store.events("r") == [b"a", b"c"]


async def test_locked_file_rejects_writes_until_it_is_unlocked(store: SqliteStore, path: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="locked"):
        await append_and_wait(store, Append("r", 0, (b"a",)))
    other.execute("COMMIT")
    other.close()
    await append_and_wait(store, Append("r", 0, (b"a",)))


async def test_secrets_are_stored_as_hashes(store: SqliteStore, path: str) -> None:
    await store.save_session("my-secret", Session("p1", "ann", ""), 5)
    assert await store.add_account("Ann", "p1", "my-token", 5)
    data = b"".join(file.read_bytes() for file in Path(path).parent.iterdir())
    assert b"my-secret" not in data
    assert b"my-token" not in data
