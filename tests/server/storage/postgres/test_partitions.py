"""The log in partitions: every event has a place, a month is dropped whole, and old databases are taken along."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import asyncpg
import pytest

from server.ids import coming_months, first_room_id, month_at, new_room_id
from server.storage.interface import Append, Conflict, append_and_wait
from server.storage.postgres.partitions import PARTITIONS, partition_name
from server.storage.postgres.store import PostgresStore
from server.storage.postgres.write_queue import WriteQueue
from tests.server.storage.rows import row
from tests.server.storage.test_migrations import older_postgres
from tests.waiting import TIMEOUT_S

NOW = time.time_ns() // 1_000_000
THIS_MONTH = partition_name(month_at(NOW))


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(database)
    await store.open()
    yield store
    await store.close()


async def place_of(connection: asyncpg.Connection, room: str) -> str:
    name: str = await connection.fetchval("SELECT DISTINCT tableoid::regclass::text FROM events WHERE room = $1", room)
    return name


async def test_events_are_in_the_partition_of_their_month(store: PostgresStore, connection: asyncpg.Connection) -> None:
    room = new_room_id(NOW)
    for name in (room, "zzz", f"{first_room_id('2025-02')}aaaaa"):
        await append_and_wait(store, Append(name, 0, (b"1", b"2"), row(name)))
    assert await place_of(connection, room) == THIS_MONTH
    assert await place_of(connection, "zzz") == "events_other"
    assert await store.events(room) == [b"1", b"2"]
    assert await store.latest_seqs([room, "zzz", "none"]) == {room: 2, "zzz": 2}
    with pytest.raises(Conflict):
        await append_and_wait(store, Append(room, 1, (b"3",)))
    assert (await store.sizes())[1].keys() >= {"events", "rooms"}
    assert not any(name.startswith("events_") for name in (await store.sizes())[1])


async def test_months_are_added_once_by_nodes_that_start_together(
    store: PostgresStore, connection: asyncpg.Connection
) -> None:
    months = coming_months(NOW)
    await asyncio.gather(*(store.prepare_log([*months, "2030-01", "2030-02"]) for _ in range(4)))
    names = sorted(row[0] for row in await connection.fetch(PARTITIONS))
    assert names == sorted(["events_2030_01", "events_2030_02", "events_other", *map(partition_name, months)])


async def test_month_that_has_rooms_elsewhere_stays_there(store: PostgresStore, connection: asyncpg.Connection) -> None:
    room = f"{first_room_id('2030-01')}aaaaa"
    await append_and_wait(store, Append(room, 0, (b"1",), row(room)))
    await store.prepare_log(["2030-01", "2030-02"])
    assert await place_of(connection, room) == "events_other"
    names = {row[0] for row in await connection.fetch(PARTITIONS)}
    assert "events_2030_01" not in names
    assert "events_2030_02" in names


async def test_month_is_dropped_only_if_it_is_what_was_archived(
    store: PostgresStore, connection: asyncpg.Connection
) -> None:
    room = new_room_id(NOW)
    await append_and_wait(store, Append(room, 0, (b"1",), row(room)))
    assert not await store.drop_month(month_at(NOW), 1)  # the game has not ended
    await append_and_wait(store, Append(room, 1, (b"2",), row(room, "ended")))
    assert not await store.drop_month(month_at(NOW), 2)  # a room is missing
    assert not await store.drop_month("2025-01", 0)  # there is no such partition
    assert await store.events(room) == [b"1", b"2"]
    assert await store.drop_month(month_at(NOW), 1)
    assert await store.events(room) == []
    assert THIS_MONTH not in {row[0] for row in await connection.fetch(PARTITIONS)}


@pytest.mark.parametrize("newest", ["a room of now", "zzz"])
async def test_log_of_an_older_schema_becomes_a_partition(newest: str, database: str) -> None:
    """Also while a node of the older version writes. An id without a time keeps all rooms together."""
    connection = await older_postgres(database, 12)
    room = new_room_id(NOW) if newest != "zzz" else newest
    insert = await connection.prepare("INSERT INTO events (room, seq, payload) VALUES ($1, $2, $3)")
    read = await connection.prepare("SELECT payload FROM events WHERE room = $1 ORDER BY seq")
    await insert.fetch(room, 1, b"1")
    store = PostgresStore(database)
    await store.open()
    await insert.fetch(room, 2, b"2")
    assert [row[0] for row in await read.fetch(room)] == [b"1", b"2"]
    with pytest.raises(asyncpg.UniqueViolationError):
        await insert.fetch(room, 2, b"3")
    assert await place_of(connection, room) == "events_before"
    await store.prepare_log([*coming_months(NOW), "2030-01"])
    later = f"{first_room_id('2030-01')}aaaaa"
    await append_and_wait(store, Append(later, 0, (b"1",), row(later)))
    assert await place_of(connection, later) == ("events_before" if newest == "zzz" else "events_2030_01")
    await store.close()
    await connection.close()


async def test_older_node_writes_on_while_a_newer_one_migrates(database: str) -> None:
    """The path of a move is the same in both versions. Both nodes fence each other afterwards."""
    connection = await older_postgres(database, 12)

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(database)

    older = WriteQueue(await connect(), connect, lambda seconds, jobs: None)
    rooms = [new_room_id(NOW + n * 1000) for n in range(4)]
    stored, migrated = 0, asyncio.Event()

    async def play() -> None:
        nonlocal stored
        while stored < 50 or not migrated.is_set():
            stored += 1
            appends = [Append(room, stored - 1, (b"older",), row(room) if stored % 5 == 1 else None) for room in rooms]
            await asyncio.gather(*(submit(older, append) for append in appends))

    playing = asyncio.create_task(play())
    store = PostgresStore(database)
    await store.open()
    migrated.set()
    await asyncio.wait_for(playing, TIMEOUT_S)
    assert await store.latest_seqs(rooms) == dict.fromkeys(rooms, stored)
    await append_and_wait(store, Append(rooms[0], stored, (b"newer",)))
    with pytest.raises(Conflict):
        await submit(older, Append(rooms[0], stored, (b"older",)))
    await submit(older, Append(rooms[0], stored + 1, (b"older",), row(rooms[0], "ended")))
    assert (await store.events(rooms[0]))[-2:] == [b"newer", b"older"]
    await older.close()
    await store.close()
    await connection.close()


async def submit(queue: WriteQueue, append: Append) -> None:
    """Append to the queue, and wait. Raises Conflict or Unavailable."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    queue.submit(append, lambda error: future.set_result(None) if error is None else future.set_exception(error))
    await future
