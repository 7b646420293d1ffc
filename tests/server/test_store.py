"""The SQLite store with real files: durable, fenced, fair to neighbours, and clear when it cannot write."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.sqlite.store import APPLICATION, SqliteStore
from server.store import Append, Conflict, RoomRow, Session, StoreError, Unavailable, open_store
from server.store import appended as put


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "parlour.db")


@pytest.fixture
async def store(path: str) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, busy=0.05)
    await store.open()
    yield store
    await store.close()


def row(room: str, status: str = "running", **changes: object) -> RoomRow:
    line = RoomRow(room, "conga", status, "*", False, ("p1", "p2"), ("Ann", "ben"), None, 5, room.encode())
    return line._replace(**changes)  # type: ignore[arg-type]


async def test_what_was_appended_is_read_back_in_order(store: SqliteStore) -> None:
    await put(store, Append("r", 0, (b"a", b"b"), row("r")))
    await put(store, Append("r", 2, (b"c",)))
    assert await store.events("r") == [b"a", b"b", b"c"]
    assert await store.events("r", after=2) == [b"c"]


async def test_the_key_is_the_fence(store: SqliteStore) -> None:
    first = put(store, Append("r", 0, (b"a",)))
    second = put(store, Append("r", 0, (b"b",)))
    await first
    with pytest.raises(Conflict):
        await second
    assert await store.events("r") == [b"a"]


async def test_a_bad_row_fails_alone(store: SqliteStore) -> None:
    await put(store, Append("taken", 0, (b"x",)))
    jobs = [put(store, Append(f"r{n}", 0, (b"a", b"b"), row(f"r{n}"))) for n in range(50)]
    late = put(store, Append("taken", 0, (b"late",), row("taken")))
    odd = put(store, Append("odd", 0, (object(),), None))  # type: ignore[arg-type]  # cannot be bound
    jobs += [put(store, Append(f"s{n}", 0, (b"a",))) for n in range(50)]
    await asyncio.gather(*jobs)
    with pytest.raises(Conflict):
        await late
    with pytest.raises(Unavailable, match="cannot be stored"):
        await odd
    assert await store.events("r49") == [b"a", b"b"]
    assert await store.events("taken") == [b"x"]
    assert len(await store.unfinished()) == 50


async def test_an_append_is_all_or_nothing_in_both_rooms(store: SqliteStore) -> None:
    await put(store, Append("new", 0, (b"x",)))
    both = put(store, Append("old", 0, (b"a",), also=Append("new", 0, (b"b",))))
    with pytest.raises(Conflict):
        await both
    assert await store.events("old") == []
    await put(store, Append("old", 0, (b"a",), also=Append("new", 1, (b"b",), row("new"))))
    assert await store.events("new") == [b"x", b"b"]


async def test_many_at_once_share_a_transaction(path: str) -> None:
    commits: list[int] = []
    store = SqliteStore(path, on_commit=lambda seconds, jobs: commits.append(jobs))
    await store.open()
    await asyncio.gather(*(put(store, Append(f"r{n}", 0, (b"a",))) for n in range(777)))
    await store.close()
    assert commits == [1, 776]  # the first one goes at once, what comes meanwhile goes together


async def test_closing_writes_what_is_queued(path: str) -> None:
    store = SqliteStore(path)
    await store.open()
    jobs = [put(store, Append("r", n, (b"a",))) for n in range(20)]
    await store.close()
    assert all(job.done() and job.exception() is None for job in jobs)


async def test_a_full_disk_refuses_and_loses_nothing(store: SqliteStore, path: str) -> None:
    await put(store, Append("r", 0, (b"a",)))
    assert store._writer is not None
    connection = store._writer._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(Unavailable, match="full"):
        await put(store, Append("r", 1, (b"b" * 100_000,)))
    connection.execute("PRAGMA max_page_count = 1000000")
    await put(store, Append("r", 1, (b"c",)))
    assert await store.events("r") == [b"a", b"c"]


async def test_a_locked_file_refuses_and_recovers(store: SqliteStore, path: str) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="locked"):
        await put(store, Append("r", 0, (b"a",)))
    other.execute("COMMIT")
    other.close()
    await put(store, Append("r", 0, (b"a",)))


async def test_the_index_answers(store: SqliteStore) -> None:
    await put(store, Append("r1", 0, (b"a",), row("r1", "waiting", deadline=50)))
    await put(store, Append("r2", 0, (b"a",), row("r2", game="mancala", deadline=70)))
    await put(store, Append("r3", 0, (b"a",), row("r3", private=True)))
    await put(store, Append("r4", 0, (b"a",), row("r4", "ended", result="1-0", changed_at=8)))
    await put(store, Append("r5", 0, (b"a",), row("r5", "ended", result="0-1", changed_at=9, names=("cy", "di"))))
    await put(store, Append("r6", 0, (b"a",), row("r6", "ended", changed_at=10)))
    assert await store.rooms("", "", 10) == [b"r2", b"r1"]
    assert await store.rooms("mancala", "", 10) == [b"r2"]
    assert await store.rooms("", "waiting", 10) == [b"r1"]
    assert await store.history("", "", None, 10) == [(9, b"r5"), (8, b"r4")]
    assert await store.history("", "", 9, 10) == [(8, b"r4")]
    assert await store.history("conga", "ANN", None, 10) == [(8, b"r4")]
    assert await store.rooms_of("p2") == ["r1", "r2", "r3"]
    assert await store.due(60) == [("r1", 50)]
    await store.postpone("r1", 50, 55)
    await store.postpone("r1", 50, 99)
    assert await store.due(60) == [("r1", 55)]
    await put(store, Append("r1", 1, (b"b",), row("r1", deadline=None)))
    assert await store.due(60) == []


async def test_secrets_are_kept_as_hashes(store: SqliteStore, path: str) -> None:
    await store.save_session("my-secret", Session("p1", "ann", ""), 5)
    assert await store.add_account("Ann", "p1", "my-token", 5)
    assert await store.session("my-secret") == Session("p1", "ann", "")
    assert await store.session("other") is None
    account = await store.account_of_token("my-token")
    assert account is not None
    assert account.name == "Ann"
    data = b"".join(file.read_bytes() for file in Path(path).parent.iterdir())
    assert b"my-secret" not in data
    assert b"my-token" not in data
    await store.forget_sessions(6)
    assert await store.session("my-secret") is None


async def test_a_name_has_one_owner_while_its_token_exists(store: SqliteStore) -> None:
    assert await store.add_account("Ann", "p1", "t1", 5)
    assert not await store.add_account("ann", "p2", "t2", 6)
    assert await store.revoke_account("ANN", 7)
    assert not await store.revoke_account("ann", 7)
    assert await store.account_of_token("t1") is None
    assert await store.add_account("ann", "p2", "t2", 8)
    assert [(account.name, account.revoked_at) for account in await store.accounts()] == [("Ann", 7), ("ann", None)]


async def test_nodes_say_when_they_were_there(store: SqliteStore) -> None:
    assert await store.last_alive() is None
    await store.mark_alive("a", 5)
    await store.mark_alive("b", 9)
    await store.mark_alive("a", 7)
    assert await store.last_alive() == 9


async def test_a_newer_database_is_refused(path: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE future (x)")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreError, match=r"newer Parlour \(its schema is 999"):
        await SqliteStore(path).open()


async def test_files_that_are_not_ours_are_refused(path: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE stranger (x)")
    connection.close()
    with pytest.raises(StoreError, match="another program"):
        await SqliteStore(path).open()
    (tmp_path / "notes.txt").write_text("these are just notes, not a database at all" * 30)
    with pytest.raises(StoreError, match="not a database"):
        await SqliteStore(str(tmp_path / "notes.txt")).open()
    with pytest.raises(StoreError, match="unable to open"):
        await SqliteStore(str(tmp_path / "missing" / "x.db")).open()
    with pytest.raises(StoreError, match="name of a file"):
        open_store("mysql://somewhere/x")


async def test_an_old_file_opens_again_with_everything_in_it(store: SqliteStore, path: str) -> None:
    await put(store, Append("r", 0, (b"a",)))
    again = SqliteStore(path)
    await again.open()
    assert await again.events("r") == [b"a"]
    await again.close()
