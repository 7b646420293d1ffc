"""The write queue when the writer process dies, hangs, or cannot be started."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from server.storage.interface import Append, Conflict, StoreError, Unavailable, append_and_wait
from server.storage.sqlite import supervisor, write_queue
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.supervisor import WriterSupervisor
from server.storage.sqlite.write_queue import Statements, WriterPipe
from tests.client.sample_programs import gone
from tests.e2e.local_server import until
from tests.waiting import TIMEOUT_S

FIRST = Append("r", 0, (b"a",))


@pytest.fixture
async def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SqliteStore]:
    monkeypatch.setattr(supervisor.WriterSupervisor, "restart_delay_s", 0.01)
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


async def test_append_written_before_the_process_died_succeeds(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(WriterPipe, "pipe_data_received", lambda self, fd, data: None)
        append = append_and_wait(store, FIRST)
        await until("it is written", lambda: events(store) == [b"a"])
        os.kill(pid(store), signal.SIGKILL)
        await append
    await append_and_wait(store, Append("r", 1, (b"b",)))
    assert events(store) == [b"a", b"b"]


async def test_jobs_lost_with_the_process_are_rejected(store: SqliteStore) -> None:
    os.kill(pid(store), signal.SIGSTOP)
    assert store._writer is not None
    answers: list[Exception | None] = []
    store._writer.submit(Statements(("DELETE FROM nodes", ())), answers.append)
    append = append_and_wait(store, FIRST)  # both are in flight together
    os.kill(pid(store), signal.SIGKILL)
    with pytest.raises(Unavailable, match="has ended"):
        await append
    assert "is not known" in str(answers[0])
    await append_and_wait(store, FIRST)
    assert events(store) == [b"a"]


async def test_event_of_another_writer_is_a_conflict(store: SqliteStore) -> None:
    os.kill(pid(store), signal.SIGSTOP)
    append = append_and_wait(store, FIRST)
    await until("it is in flight", lambda: store.queued == 1)
    with closing(sqlite3.connect(store.path)) as other, other:
        other.execute("INSERT INTO events VALUES ('r', 1, ?)", (b"mine",))
    os.kill(pid(store), signal.SIGKILL)
    with pytest.raises(Conflict):
        await append


async def test_process_is_restarted_until_it_starts(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(WriterSupervisor, "command", lambda self: ("/missing/python",))
        os.kill(pid(store), signal.SIGKILL)
        await wait_until_rejected(store, "cannot start the database writer process: No such file")
    async with asyncio.timeout(TIMEOUT_S):
        while await outcome(store, FIRST):
            pass
    assert events(store) == [b"a"]


async def wait_until_rejected(store: SqliteStore, why: str) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while why not in await outcome(store, FIRST):
            pass


async def outcome(store: SqliteStore, append: Append) -> str:
    try:
        await append_and_wait(store, append)
    except Unavailable as error:
        return str(error)
    return ""


async def test_failed_first_start_is_a_store_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriterSupervisor, "command", lambda self: ("/missing/python",))
    with pytest.raises(StoreError, match="cannot start the database writer process: No such file"):
        await SqliteStore(str(tmp_path / "parlour.db")).open()
    monkeypatch.setattr(WriterSupervisor, "command", lambda self: ("/bin/false",))
    with pytest.raises(StoreError, match="has ended"):
        await SqliteStore(str(tmp_path / "parlour.db")).open()


async def test_replaced_file_is_rejected(store: SqliteStore, tmp_path: Path) -> None:
    other = SqliteStore(str(tmp_path / "other.db"))
    await other.open()
    await other.close()
    (tmp_path / "other.db").replace(store.path)
    os.kill(pid(store), signal.SIGKILL)
    await wait_until_rejected(store, "was replaced by another file")


async def test_close_does_not_wait_for_a_hanging_disk(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_queue, "CLOSE_TIMEOUT_S", 0.05)
    stuck = pid(store)
    os.kill(stuck, signal.SIGSTOP)
    append = append_and_wait(store, FIRST)
    async with asyncio.timeout(TIMEOUT_S):
        await store.close()
    with pytest.raises(Unavailable):
        await append
    await until("it is gone", partial(gone, stuck))


async def test_closed_queue_rejects_jobs(store: SqliteStore) -> None:
    queue = store._writer
    assert queue is not None
    await store.close()
    errors: list[Exception | None] = []
    queue.submit(FIRST, errors.append)
    await until("there is an answer", lambda: errors)
    assert isinstance(errors[0], Unavailable)


async def test_job_that_cannot_be_sent_is_rejected(store: SqliteStore) -> None:
    odd = append_and_wait(store, Append("odd", 0, (object(),)))  # type: ignore[arg-type]
    async with asyncio.timeout(TIMEOUT_S):
        await store.flush()
    with pytest.raises(Unavailable, match="cannot be stored"):
        await odd


async def test_late_exit_of_an_earlier_process_does_not_stop_its_successor(store: SqliteStore) -> None:
    assert store._writer is not None
    supervisor = store._writer._supervisor
    first = supervisor.child
    assert first is not None
    os.kill(pid(store), signal.SIGKILL)
    await until("its successor is ready", lambda: supervisor.child is not first and supervisor.ready)
    first.on_exit()  # as of a process that a broken disk has kept from dying
    await asyncio.wait_for(append_and_wait(store, FIRST), TIMEOUT_S)
    assert events(store) == [b"a"]
