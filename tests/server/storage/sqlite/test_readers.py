"""Reading threads: reads run side by side, and a read that takes too long is stopped."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.storage.interface import ReadTimeout, Unavailable
from server.storage.sqlite.readers import READERS
from server.storage.sqlite.store import SqliteStore

TENFOLD = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
ENDLESS = f"SELECT count(*) FROM {', '.join([TENFOLD] * 20)}"
LONG = f"SELECT count(*) FROM {', '.join([TENFOLD] * 5)}"  # the time is looked at several times


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(str(tmp_path / "parlour.db"))
    await store.open()
    yield store
    await store.close()


async def test_endless_read_is_stopped_and_its_thread_reads_on(store: SqliteStore) -> None:
    for _ in range(2 * READERS):
        with pytest.raises(ReadTimeout, match="took too long"):
            await store._in_reader(lambda reader: reader.execute(ENDLESS).fetchall(), 0.01)
    assert await store._read("SELECT 1") == [(1,)]


async def test_slow_read_does_not_delay_other_reads(store: SqliteStore) -> None:
    """As many slow reads as threads but one wait for the event that the last thread's read sets."""
    read = threading.Event()
    slow = [asyncio.create_task(store._in_reader(lambda _: read.wait(20))) for _ in range(READERS - 1)]
    await asyncio.sleep(0)
    assert await store.events("r") == []
    assert not any(task.done() for task in slow)
    read.set()
    assert await asyncio.gather(*slow) == [True] * len(slow)


async def test_read_that_is_cancelled_in_the_queue_does_not_run(store: SqliteStore) -> None:
    gate, done = threading.Event(), list[str]()
    slow = [store._readers.read(lambda _: gate.wait(20)) for _ in range(READERS)]
    unwanted = store._readers.read(lambda _: done.append("unwanted"))
    wanted = store._readers.read(lambda _: done.append("wanted"))
    unwanted.cancel()
    await asyncio.sleep(0)  # the loop tells the queue
    gate.set()
    await asyncio.gather(*slow, wanted)
    assert done == ["wanted"]


@pytest.mark.parametrize("error", [StopIteration("x"), TimeoutError("x")])
async def test_error_with_a_meaning_for_asyncio_is_wrapped(store: SqliteStore, error: Exception) -> None:
    def fail(_: sqlite3.Connection) -> None:
        raise error

    with pytest.raises(RuntimeError, match=f"{type(error).__name__} x"):
        await store._in_reader(fail)


async def test_limit_of_one_read_does_not_bind_the_next(store: SqliteStore) -> None:
    with pytest.raises(ReadTimeout):
        await store._in_reader(lambda reader: reader.execute(ENDLESS).fetchall(), 0.0)
    assert await store._in_reader(lambda reader: reader.execute(LONG).fetchall(), None) == [(100_000,)]


async def test_error_of_the_database_is_unavailable(store: SqliteStore) -> None:
    with pytest.raises(Unavailable, match="cannot be read: no such table"):
        await store._read("SELECT 1 FROM nowhere")

    def damaged(_: sqlite3.Connection) -> None:
        raise sqlite3.DatabaseError("malformed")

    with pytest.raises(Unavailable, match="malformed"):
        await store._in_reader(damaged)


async def test_closed_store_has_done_all_its_reads_and_takes_no_more(store: SqliteStore) -> None:
    reads, done = 20, list[int]()
    futures = [store._readers.read(lambda _, number=number: done.append(number)) for number in range(reads)]  # type: ignore[misc]
    await store.close()
    assert sorted(done) == list(range(reads))
    await asyncio.gather(*futures)
    with pytest.raises(RuntimeError, match="not open"):
        await store.events("r")
