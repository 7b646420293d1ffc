"""Archives: months move into files and back, unfinished games stay, and a crash in between loses nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from protocol.codec import MSGPACK
from protocol.events import Created
from protocol.types import TimeControl
from server.ids import first_room_id, month_of
from server.storage.archiving import archive_month, months_before, restore
from server.storage.factory import open_store
from server.storage.interface import Append, Store, StoreError, Unavailable, append_and_wait
from server.storage.tables import ARCHIVES, EVENTS, REVIEWS, ROOMS
from tests.server.storage.rows import row

NOW = 10**12
OLD, LATER = "2025-03", "2025-04"


def quiet(what: str, count: int) -> None:
    pass


async def fill(store: Store) -> None:
    """Store five rooms of March that have ended, and one of April."""
    await store.prepare_log([OLD, LATER])
    for month, count in ((OLD, 5), (LATER, 1)):
        for n in range(count):
            room = f"{first_room_id(month)}0000{n}"
            await append_and_wait(store, Append(room, 0, (b"1", b"2"), row(room, "ended", result="1-0")))
            if n == 1:
                await store.request_review(room, "ann", 1, 100)
                await store.save_review(room, b"review")


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_store(str(tmp_path / "archive.db"))
    await store.open()
    yield store
    await store.close()


async def contents(store: Store) -> list[list[tuple[object, ...]]]:
    return [await store.read_rows(table) for table in (ROOMS, EVENTS, REVIEWS)]


async def test_month_moves_into_a_file_and_back(store: Store, archive: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.storage.archiving.ROOMS_PER_BATCH", 2)
    await fill(store)
    before = await contents(store)
    assert await months_before(store, "2025-07") == [OLD, LATER]
    moved = await archive_month(store, archive, OLD, "archive.db", NOW, quiet)
    assert moved == (5, 10, 0)
    assert await months_before(store, "2025-05") == [LATER]
    assert await store.read_rows(ARCHIVES) == [(OLD, "archive.db", 5, 10, NOW)]
    assert {month_of(name) for name, *_ in await archive.read_rows(ROOMS)} == {OLD}
    assert len(await store.read_rows(EVENTS)) == 2
    assert (len(await archive.read_rows(REVIEWS)), await store.read_rows(REVIEWS)) == (1, [])
    assert await restore(archive, store, quiet) == (5, 0, 0)
    assert await contents(store) == before
    assert await store.read_rows(ARCHIVES) == []
    assert await restore(archive, store, quiet) == (0, 5, 0)


async def test_games_that_ended_today_stay(store: Store, archive: Store) -> None:
    """Their rooms may be loaded at a node, and get another event: chat, or an offer of a rematch."""
    await fill(store)
    room = f"{first_room_id(OLD)}zzzzz"
    await append_and_wait(store, Append(room, 0, (b"1",), row(room, "ended", changed_at=NOW - 60_000)))
    assert await archive_month(store, archive, OLD, "archive.db", NOW, quiet) == (5, 10, 1)
    assert await store.events(room) == [b"1"]


async def test_unfinished_games_stay(store: Store, archive: Store) -> None:
    await fill(store)
    room = f"{first_room_id(OLD)}zzzzz"
    await append_and_wait(store, Append(room, 0, (b"1",), row(room)))
    assert await archive_month(store, archive, OLD, "archive.db", NOW, quiet) == (5, 10, 1)
    assert [name for name, *_ in await store.read_rows(ROOMS)] == [room, f"{first_room_id(LATER)}00000"]
    assert await store.events(room) == [b"1"]
    await append_and_wait(store, Append(room, 1, (b"2",), row(room, "ended")))
    assert await archive_month(store, archive, OLD, "archive.db", NOW, quiet) == (1, 2, 0)
    assert await store.read_rows(ARCHIVES) == [(OLD, "archive.db", 6, 12, NOW)]
    assert len(await archive.read_rows(ROOMS)) == 6


async def test_interrupted_archive_is_finished_by_the_next(
    store: Store, archive: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first archive fails after a part of the month was removed."""
    monkeypatch.setattr("server.storage.archiving.ROOMS_PER_BATCH", 2)
    await fill(store)
    before = await contents(store)
    calls = []

    async def remove_rooms(rooms: list[str]) -> None:
        calls.append(rooms)
        if len(calls) == 2:
            raise Unavailable("the plug was pulled")
        await type(store).remove_rooms(store, rooms)

    async def drop_month(month: str, rooms: int) -> bool:
        return False

    monkeypatch.setattr(store, "remove_rooms", remove_rooms)
    monkeypatch.setattr(store, "drop_month", drop_month)
    with pytest.raises(Unavailable):
        await archive_month(store, archive, OLD, "archive.db", NOW, quiet)
    assert len(await store.read_rows(ROOMS)) == 4
    await archive_month(store, archive, OLD, "archive.db", NOW, quiet)
    assert await store.read_rows(ARCHIVES) == [(OLD, "archive.db", 5, 10, NOW)]
    await restore(archive, store, quiet)
    assert await contents(store) == before


async def test_restore_leaves_out_rooms_that_could_go_on(store: Store, archive: Store) -> None:
    """An archive has none, but a file from others may: such a game could still change the ratings of its players."""
    created = Created(room="b", seq=1, at=5, game="conga", options={}, clock=TimeControl(), by="p1")
    await append_and_wait(archive, Append("a", 0, (b"1",), row("a", "running", deadline=1)))
    await append_and_wait(archive, Append("b", 0, (MSGPACK.encode(created),), row("b", "ended", result="1-0")))
    await append_and_wait(archive, Append("c", 0, (b"1",), row("c", "ended", result="1-0")))
    assert await restore(archive, store, quiet) == (1, 0, 2)
    assert [name for name, *_ in await store.read_rows(ROOMS)] == ["c"]
    assert await store.read_rows(EVENTS) == [("c", 1, b"1")]


async def test_nothing_is_removed_if_the_archive_differs(
    store: Store, archive: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(store)

    async def put_rooms(*rows: object) -> None:
        """Lose what is written."""

    monkeypatch.setattr(archive, "put_rooms", put_rooms)
    with pytest.raises(StoreError, match="differs from the database, which is unchanged"):
        await archive_month(store, archive, OLD, "archive.db", NOW, quiet)
    assert len(await store.read_rows(ROOMS)) == 6
    assert await archive.unfinished_copy()


async def test_room_without_a_log_is_not_archived(store: Store, archive: Store) -> None:
    await fill(store)
    await store.replace_rows(EVENTS, (), (f"{first_room_id(OLD)}00000", 2), [])
    with pytest.raises(StoreError, match="has no events: 'parlour db check' lists"):
        await archive_month(store, archive, OLD, "archive.db", NOW, quiet)
    assert len(await store.read_rows(ROOMS)) == 6
