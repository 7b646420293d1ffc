"""The queue before the process that writes, when that process dies, hangs, or cannot be had."""

from __future__ import annotations

import asyncio
import marshal
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from server.storage.interface import Append, Conflict, StoreError, Unavailable
from server.storage.interface import append_and_wait as put
from server.storage.sqlite import supervisor, write_queue, writer_process
from server.storage.sqlite.batch import Statement
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.supervisor import WriterProcess, WriterSupervisor
from tests.client.programs import gone
from tests.e2e.parlours import until

FIRST = Append("r", 0, (b"a",))


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SqliteStore]:
    monkeypatch.setattr(supervisor, "RESTART_DELAY_S", 0.01)
    store = SqliteStore(str(tmp_path / "parlour.db"), busy=0.05)
    await store.open()
    yield store
    await store.close()


def pid(store: SqliteStore) -> int:
    assert store._writer is not None
    assert store._writer.pid is not None
    return store._writer.pid


def events(store: SqliteStore) -> list[bytes]:
    with closing(sqlite3.connect(store.path)) as connection:
        return [payload for (payload,) in connection.execute("SELECT payload FROM events ORDER BY seq")]


async def test_what_was_written_before_it_died_is_not_called_undone(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as deaf:
        deaf.setattr(WriterProcess, "pipe_data_received", lambda self, fd, data: None)
        append = put(store, FIRST)
        await until("it is written", lambda: events(store) == [b"a"])
        os.kill(pid(store), signal.SIGKILL)
        await append
    await put(store, Append("r", 1, (b"b",)))
    assert events(store) == [b"a", b"b"]


async def test_what_it_took_along_is_refused(store: SqliteStore) -> None:
    os.kill(pid(store), signal.SIGSTOP)
    assert store._writer is not None
    answers: list[Exception | None] = []
    store._writer.submit(Statement("DELETE FROM nodes", ()), answers.append)
    append = put(store, FIRST)  # both are under way together
    os.kill(pid(store), signal.SIGKILL)
    with pytest.raises(Unavailable, match="has ended"):
        await append
    assert "is not known" in str(answers[0])
    await put(store, FIRST)
    assert events(store) == [b"a"]


async def test_what_others_wrote_meanwhile_is_a_conflict(store: SqliteStore) -> None:
    os.kill(pid(store), signal.SIGSTOP)
    append = put(store, FIRST)
    await until("it is under way", lambda: store.queued == 1)
    with closing(sqlite3.connect(store.path)) as other, other:
        other.execute("INSERT INTO events VALUES ('r', 1, ?)", (b"mine",))
    os.kill(pid(store), signal.SIGKILL)
    with pytest.raises(Conflict):
        await append


async def test_it_is_tried_again_until_it_can_be_started(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(WriterSupervisor, "command", lambda self: ("/missing/python",))
        os.kill(pid(store), signal.SIGKILL)
        await until_refused(store, "cannot start the process that writes the database: No such file")
    async with asyncio.timeout(20):
        while await outcome(store, FIRST):
            pass
    assert events(store) == [b"a"]


async def until_refused(store: SqliteStore, why: str) -> None:
    async with asyncio.timeout(20):
        while why not in await outcome(store, FIRST):
            pass


async def outcome(store: SqliteStore, append: Append) -> str:
    try:
        await put(store, append)
    except Unavailable as error:
        return str(error)
    return ""


async def test_it_cannot_be_started_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriterSupervisor, "command", lambda self: ("/missing/python",))
    with pytest.raises(StoreError, match="cannot start the process that writes the database: No such file"):
        await SqliteStore(str(tmp_path / "parlour.db")).open()
    monkeypatch.setattr(WriterSupervisor, "command", lambda self: ("/bin/false",))
    with pytest.raises(StoreError, match="has ended"):
        await SqliteStore(str(tmp_path / "parlour.db")).open()


async def test_another_file_is_not_taken_for_ours(store: SqliteStore, tmp_path: Path) -> None:
    other = SqliteStore(str(tmp_path / "other.db"))
    await other.open()
    await other.close()
    (tmp_path / "other.db").replace(store.path)
    os.kill(pid(store), signal.SIGKILL)
    await until_refused(store, "was replaced by another file")


async def test_the_end_does_not_wait_for_a_disk_that_does_not_answer(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue, "CLOSE_TIMEOUT_S", 0.05)
    stuck = pid(store)
    os.kill(stuck, signal.SIGSTOP)
    append = put(store, FIRST)
    async with asyncio.timeout(20):
        await store.close()
    with pytest.raises(Unavailable):
        await append
    await until("it is gone", partial(gone, stuck))


async def test_after_the_end_everything_is_refused(store: SqliteStore) -> None:
    queue = store._writer
    assert queue is not None
    await store.close()
    refused: list[Exception | None] = []
    queue.submit(FIRST, refused.append)
    await until("there is an answer", lambda: refused)
    assert isinstance(refused[0], Unavailable)


async def test_nothing_waits_for_jobs_that_cannot_be_sent(store: SqliteStore) -> None:
    odd = put(store, Append("odd", 0, (object(),)))  # type: ignore[arg-type]
    async with asyncio.timeout(20):
        await store.flush()
    with pytest.raises(Unavailable, match="cannot be stored"):
        await odd


def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("these are just notes, not a database at all" * 30)
    file = notes.stat()
    words = [sys.executable, "-I", "-S", writer_process.__file__, str(notes), "0.1", str(file.st_dev), str(file.st_ino)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    assert marshal.loads(done.stdout[writer_process.LENGTH_BYTES :]) == [
        f"cannot use the database {notes}: file is not a database"
    ]
    assert done.stderr == b""
