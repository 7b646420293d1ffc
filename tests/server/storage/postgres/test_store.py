"""The PostgreSQL store: several nodes, migrations, and a database that becomes unavailable."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator

import asyncpg
import pytest

from bench.cluster.postgres import Postgres
from server.storage.interface import (
    Append,
    Conflict,
    LostPlayer,
    ReadTimeout,
    StoreError,
    Unavailable,
    append_and_wait,
    without_password,
)
from server.storage.postgres import store as store_module
from server.storage.postgres.store import PostgresStore
from tests.long import long
from tests.nodes.faults import link_to_postgres
from tests.server.storage.rows import row
from tests.waiting import TIMEOUT_S, until


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(database)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def other(database: str) -> AsyncIterator[PostgresStore]:
    """Another node's store on the same database."""
    store = PostgresStore(database)
    await store.open()
    yield store
    await store.close()


async def test_exactly_one_of_two_nodes_appends_an_event(store: PostgresStore, other: PostgresStore) -> None:
    for n in range(50):
        both = [
            append_and_wait(node, Append("r", n, (name,), row("r"))) for node, name in ((store, b"a"), (other, b"b"))
        ]
        results = await asyncio.gather(*both, return_exceptions=True)
        assert [type(result) for result in results if result is not None] == [Conflict]
    assert len(await store.events("r")) == 50


async def test_overlapping_batches_of_two_nodes_do_not_deadlock(store: PostgresStore, other: PostgresStore) -> None:
    rooms = [f"r{n:03}" for n in range(200)]
    jobs = [append_and_wait(store, Append(room, 0, (b"a",), row(room))) for room in rooms]
    jobs += [append_and_wait(other, Append(room, 0, (b"b",), row(room))) for room in reversed(rooms)]
    results = await asyncio.wait_for(asyncio.gather(*jobs, return_exceptions=True), TIMEOUT_S)
    assert sum(isinstance(result, Conflict) for result in results) == 200
    assert await store.latest_seqs(rooms) == dict.fromkeys(rooms, 1)


async def test_slow_search_is_cancelled_and_the_store_works_on(
    store: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "READ_TIMEOUT_S", 0.05)
    with pytest.raises(ReadTimeout):
        await store._search("SELECT pg_sleep(60)")
    running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'"
    async with asyncio.timeout(TIMEOUT_S):
        while (await other._fetch(running))[0][0]:
            pass
    assert await store.events("r") == []


async def test_read_ends_although_the_network_passes_nothing_on(
    database: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To cancel a statement, asyncpg connects again; here that takes forever."""
    link = await link_to_postgres(postgres)
    monkeypatch.setattr(store_module, "TIMEOUT_S", 2 * TIMEOUT_S)
    store = PostgresStore(f"postgresql://postgres@127.0.0.1:{link.port}/{database.split('@/')[1].split('?')[0]}")
    await store.open()
    try:
        with link.cut():
            monkeypatch.setattr(store_module, "READ_TIMEOUT_S", 0.1)
            async with asyncio.timeout(TIMEOUT_S):
                with pytest.raises(Unavailable):
                    await store.rooms("cohcoh", "running", 10)
                monkeypatch.setattr(store_module, "TIMEOUT_S", 0.1)
                with pytest.raises(Unavailable):
                    await store.events("r")
    finally:
        await store.close()
        await link.close()


async def test_nodes_that_start_together_migrate_one_at_a_time(database: str) -> None:
    stores = [PostgresStore(database, pool=1) for _ in range(6)]
    await asyncio.gather(*(store.open() for store in stores))
    await append_and_wait(stores[0], Append("r", 0, (b"a",)))
    assert await stores[5].events("r") == [b"a"]
    await asyncio.gather(*(store.close() for store in stores))


async def test_write_age_shows_a_blocked_write(store: PostgresStore, database: str) -> None:
    holder = await asyncpg.connect(database)
    async with holder.transaction():
        await holder.execute("LOCK TABLE events")
        append = append_and_wait(store, Append("r", 0, (b"a",)))
        await until("a write waits", lambda: store.write_age_s > 0.05)
        assert not append.done()
    await append
    await store.flush()
    assert store.write_age_s == 0
    await holder.close()


async def test_lock_is_held_by_one_node_at_a_time(store: PostgresStore, other: PostgresStore) -> None:
    inside = 0

    async def take_lock(node: PostgresStore) -> None:
        nonlocal inside
        for _ in range(10):
            async with node.lock("test"):
                inside += 1
                assert inside == 1
                await node.time()
                inside -= 1

    await asyncio.gather(*(take_lock(node) for node in (store, other, store, other)))


async def test_node_waits_for_a_lock_longer_than_for_a_statement(
    database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_module, "TIMEOUT_S", 0.2)
    caplog.set_level("INFO", "parlour")
    holder, waiter = PostgresStore(database, pool=2), PostgresStore(database, pool=2)
    await holder.open()
    await waiter.open()

    async def take_lock(wait_s: float) -> None:
        async with waiter.lock("start", wait_s):
            pass

    def has_waited() -> bool:
        return sum(record.getMessage() == "waiting_for_lock" for record in caplog.records) > 1

    try:
        async with holder.lock("start"):
            with pytest.raises(Unavailable):
                await take_lock(0.0)
            waiting = asyncio.create_task(take_lock(TIMEOUT_S))
            await until("it waits", has_waited)
            assert not waiting.done()
        await asyncio.wait_for(waiting, TIMEOUT_S)
    finally:
        await asyncio.gather(holder.close(), waiter.close())


async def test_players_of_dead_nodes_are_lost_if_connected_nowhere_else(store: PostgresStore) -> None:
    assert not await store.mark_alive("dead", 5)
    assert not await store.mark_alive("well", 100)
    await store.mark_present("dead", [("p1", "ann"), ("p2", "ben"), ("p3", "cy")])
    await store.mark_present("well", [("p2", "ben"), ("p4", "di")])
    await store.mark_absent("dead", "p3", "cy")
    assert not await store.claim_name("well", "p5", "ANN")
    assert await store.seen_at("p2", "dead") == 100
    assert await store.seen_at("p2", "well") == 5
    assert await store.seen_at("p4", "well") is None
    await store.mark_dead("dead")
    assert await store.seen_at("p1", "well") == 5
    assert await store.lost_players(50) == [LostPlayer("p1", 5)]
    await store.remove_dead_nodes(50)
    assert await store.claim_name("well", "p5", "ann")
    assert await store.living_nodes(50) == {"well": True}
    assert await store.lost_players(50) == []
    assert not await store.mark_alive("dead", 101)  # it was alive after all, and must report its players again
    assert await store.mark_alive("well", 101)


async def test_node_of_an_earlier_version_counts_as_on_the_bus(store: PostgresStore) -> None:
    """Its heartbeat does not say it."""
    for now in (100, 101):
        sql = "INSERT INTO nodes (node, alive_at) VALUES ($1, $2) ON CONFLICT (node) DO UPDATE SET alive_at = $2"
        await store._fetch(sql, "old", now)
    assert await store.living_nodes(101) == {"old": True}


async def test_only_one_of_several_guests_gets_a_name(store: PostgresStore, other: PostgresStore) -> None:
    for n in range(20):
        guests = [(store, "left", "p1"), (other, "right", "p2"), (other, "right", "p3")]
        free = await asyncio.gather(*(at.claim_name(node, player, f"ann{n}") for at, node, player in guests))
        assert sorted(free) == [False, False, True]


async def test_newer_or_foreign_database_is_refused(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute("CREATE TABLE stranger (x integer)")
    with pytest.raises(StoreError, match="another program"):
        await PostgresStore(database).open()
    await connection.execute("DROP TABLE stranger; CREATE TABLE parlour_schema (version integer)")
    await connection.execute("INSERT INTO parlour_schema VALUES (999)")
    await connection.close()
    with pytest.raises(StoreError, match=r"newer Parlour \(schema 999"):
        await PostgresStore(database).open()


async def test_unreachable_database_is_reported_in_one_sentence() -> None:
    with pytest.raises(StoreError, match="cannot use the database"):
        await PostgresStore("postgresql://user@127.0.0.1:1/nothing").open()


async def test_lost_connection_rejects_writes_until_it_is_back(store: PostgresStore, database: str) -> None:
    await append_and_wait(store, Append("r", 0, (b"a",)))
    connection = await asyncpg.connect(database)
    await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    await connection.close()
    written = await until_written(store, Append("r", 1, (b"b",)))
    assert await store.events("r") == [b"a", b"b"]
    assert written >= 1


async def until_written(store: PostgresStore, append: Append) -> int:
    """Retry until the append is written. Return the number of attempts."""
    async with asyncio.timeout(TIMEOUT_S):
        for attempt in range(1, 10_000):
            try:
                await append_and_wait(store, append)
                return attempt
            except Unavailable:
                await asyncio.sleep(0.01)
    raise AssertionError("unreachable")


@pytest.mark.parametrize("how", [*long(signal.SIGINT), signal.SIGQUIT], ids=["restart", "crash"])
async def test_no_acknowledged_event_is_lost_when_the_database_restarts(
    how: signal.Signals, postgres: Postgres, store: PostgresStore
) -> None:
    """Restart the database during appends: acknowledged events are stored, rejected ones are not."""
    acknowledged: list[tuple[str, int]] = []
    rejected: list[tuple[str, int]] = []
    unknown: list[tuple[str, int]] = []
    done = False

    async def write(room: str) -> None:
        seq = 0
        while not done:
            try:
                await append_and_wait(store, Append(room, seq, (f"{room}-{seq}".encode(),)))
                acknowledged.append((room, seq))
                seq += 1
            except Conflict:  # the unknown one had been written
                unknown.append((room, seq))
                seq += 1
            except Unavailable as error:
                (unknown if "not known yet" in str(error) else rejected).append((room, seq))
                await asyncio.sleep(0.01)

    writers = [asyncio.create_task(write(f"r{n}")) for n in range(20)]
    await until("events are written", lambda: len(acknowledged) > 200)
    await asyncio.to_thread(postgres.stop, how)
    await until("events are rejected", lambda: len(rejected) > 50)
    before = len(acknowledged)
    await asyncio.to_thread(postgres.start)
    await until("events are written again", lambda: len(acknowledged) > before + 200)
    done = True
    await asyncio.gather(*writers)
    for n in range(20):
        events = await store.events(f"r{n}")
        assert events == [f"r{n}-{seq}".encode() for seq in range(len(events))]
        mine = [seq for room, seq in acknowledged if room == f"r{n}"]
        assert mine == sorted(set(mine))
        known = {seq for room, seq in unknown if room == f"r{n}"} | set(mine)
        assert known == set(range(len(events)))


def test_passwords_are_removed_from_addresses() -> None:
    assert without_password("postgresql://ann:pw@h:5/x?a=b") == "postgresql://ann@h:5/x?a=b"
    assert without_password("postgresql:///x?password=pw&host=/tmp") == "postgresql:///x?password=…&host=/tmp"
    assert without_password("parlour.db") == "parlour.db"
