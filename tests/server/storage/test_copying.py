"""Copies of databases: complete, resumable, verified, and refused where something would be lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server.app import running
from server.config import Settings
from server.storage.copying import copy
from server.storage.factory import open_store
from server.storage.interface import Append, Store, StoreError, append_and_wait
from server.storage.tables import EVENTS, ROOMS, TABLES
from tests.server.storage.played import play_games
from tests.server.storage.rows import row


@asynccontextmanager
async def opened(db: str, **how: bool) -> AsyncIterator[Store]:
    store = open_store(db)
    await store.open(**how)
    try:
        yield store
    finally:
        await store.close()


def quiet(what: str, count: int) -> None:
    pass


async def contents(store: Store) -> dict[str, list[tuple[object, ...]]]:
    return {table.name: await store.read_rows(table) for table in TABLES}


@pytest.mark.parametrize("forward", [True, False])
async def test_played_games_survive_a_copy(forward: bool, tmp_path: Path, database: str) -> None:
    file = str(tmp_path / "parlour.db")
    first, second = (file, database) if forward else (database, file)
    await play_games(first)
    async with opened(first, serving=True, read_only=True) as source, opened(second) as target:
        found = await copy(source, target, "first", 1, quiet)
        assert await contents(target) == await contents(source)
    rows = {walked.table: walked.rows for walked in found}
    assert rows["rooms"] == 7
    assert rows["ratings"] == 6
    assert rows["accounts"] == 2
    assert all(walked.equal for walked in found)
    async with running(Settings(db=second, port=0)) as server:  # games go on
        assert len(await server.app.store.unfinished_rooms("running")) == 1


async def test_batches_meet_at_their_borders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database: str) -> None:
    monkeypatch.setattr("server.storage.copying.ROWS_PER_BATCH", 4)
    monkeypatch.setattr("server.storage.tables.MAX_VALUES_PER_STATEMENT", 24)  # 2 rooms
    async with opened(str(tmp_path / "a.db")) as source, opened(database) as target:
        for n in range(9):
            await append_and_wait(source, Append(f"r{n}", 0, tuple([b"x"] * (n + 1)), row(f"r{n}")))
        await copy(source, target, "a", 1, quiet)
        assert await contents(target) == await contents(source)
        assert len(await target.read_rows(EVENTS)) == 45


async def test_repeated_copy_repairs_what_differs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A copy that was interrupted may have old rows, rows that the source no longer has, and gaps."""
    async with opened(str(tmp_path / "a.db")) as source, opened(str(tmp_path / "b.db")) as target:
        for room in ("a", "b", "d"):
            await append_and_wait(source, Append(room, 0, (b"1", b"2"), row(room)))
        await target.begin_copy("a", 1)
        await append_and_wait(target, Append("a", 0, (b"1",), row("a", "waiting")))
        await append_and_wait(target, Append("c", 0, (b"1",), row("c")))
        await copy(source, target, "a", 1, quiet)
        assert await contents(target) == await contents(source)
        assert await target.unfinished_copy() == ""


async def test_source_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with opened(str(tmp_path / "a.db")) as source, opened(str(tmp_path / "b.db")) as target:
        await append_and_wait(source, Append("a", 0, (b"1",), row("a")))
        writes = []

        async def replace_rows(*words: object) -> None:
            writes.append(words)  # is lost

        monkeypatch.setattr(target, "replace_rows", replace_rows)
        with pytest.raises(StoreError, match="differs from its source in rooms, events: make sure that no server"):
            await copy(source, target, "a", 1, quiet)
        assert await target.unfinished_copy() == "a"
    assert writes


async def test_target_with_other_content_is_refused(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "a.db")) as source, opened(str(tmp_path / "b.db")) as target:
        await append_and_wait(target, Append("a", 0, (b"1",), row("a")))
        with pytest.raises(StoreError, match="the target is not empty, it has rooms"):
            await copy(source, target, "a", 1, quiet)
        assert len(await target.read_rows(ROOMS)) == 1
    async with opened(str(tmp_path / "a.db")) as source, opened(str(tmp_path / "c.db")) as target:
        await target.begin_copy("other", 1)
        with pytest.raises(StoreError, match="unfinished copy of other"):
            await copy(source, target, "a", 1, quiet)


async def test_server_refuses_an_unfinished_copy(place: str) -> None:
    async with opened(place) as store:
        await store.begin_copy("a", 1)
    with pytest.raises(StoreError, match="unfinished copy of a: run 'parlour db copy' again"):
        async with running(Settings(db=place, port=0)):
            pass
    async with opened(place) as store:
        await store.end_copy(2)
    async with running(Settings(db=place, port=0)):
        pass
