"""Queries use an index, and paging through finished games skips none."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import asyncpg
import pytest

from server.storage import queries
from server.storage.interface import Append, Store, append_and_wait
from server.storage.sqlite.store import SqliteStore
from tests.server.storage.rows import row

HISTORY_QUERIES = [("", ""), ("conga", ""), ("", "ann"), ("conga", "ann")]
HISTORY_INDEXES = {
    ("", ""): ("rooms_finished", "changed_at>? AND changed_at<?"),
    ("conga", ""): ("rooms_finished_game", "game=? AND changed_at>? AND changed_at<?"),
    ("", "ann"): ("rooms_name", "name{seat}=? AND changed_at>? AND changed_at<?"),
    ("conga", "ann"): ("rooms_game_name", "name{seat}=? AND game=? AND changed_at>? AND changed_at<?"),
}
ROOM_QUERIES = [(game, status) for game in ("", "conga") for status in ("", "waiting", "running", "ended")]


def all_queries(mark: str) -> list[tuple[str, list[object]]]:
    found: list[tuple[str, list[object]]] = []
    for game, name in HISTORY_QUERIES:
        sql, values = queries.finished_games(mark, game, name)
        found.append((sql, [0, 9, 50, *values]))
    for game, status in ROOM_QUERIES:
        sql, values = queries.rooms(mark, game, status)
        found.append((sql, [50, *values]))
    found.append((queries.last_opponent(mark), ["p", "ann"]))
    return found


async def test_every_query_uses_an_index_in_sqlite(tmp_path: object) -> None:
    path = f"{tmp_path}/parlour.db"
    store = SqliteStore(path)
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        for sql, values in all_queries("?"):
            plan = [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            reads = [line for line in plan if " rooms" in line]
            assert reads
            for line in reads:
                assert "USING INDEX" in line, (sql, plan)
    connection.close()


async def test_history_reads_only_rows_that_it_shows_in_sqlite(tmp_path: object) -> None:
    """A client can create any number of aborted rooms: no query for finished games walks over them, or sorts."""
    path = f"{tmp_path}/parlour.db"
    store = SqliteStore(path)
    await store.open()
    await store.close()
    connection = sqlite3.connect(path)
    for (game, name), (index, columns) in HISTORY_INDEXES.items():
        sql, values = queries.finished_games("?", game, name)
        plan = [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [0, 9, 50, *values])]
        used = [line.partition("USING INDEX ")[2] for line in plan if "USING INDEX" in line]
        seats = ("0", "1") if name else ("",)
        assert used == [f"{index}{seat} ({columns.format(seat=seat)})" for seat in seats], plan
        for seat in seats:
            (created,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (index + seat,)).fetchone()
            assert "result <> '*'" in created
        if not name:
            sorts = [line for line in plan if "TEMP B-TREE" in line]  # later releases of SQLite need none
            assert sorts in ([], ["USE TEMP B-TREE FOR ORDER BY"]), "only the page is sorted"
    connection.close()


async def test_lists_of_open_rooms_by_game_read_only_that_game(tmp_path: object) -> None:
    """A rare game among many running ones: no list walks over the rooms of other games, or sorts."""
    path = f"{tmp_path}/parlour.db"
    store = SqliteStore(path)
    await store.open()
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        for status in ("", "waiting", "running"):
            sql, values = queries.rooms("?", "conga", status)
            plan = [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}", [50, *values])]
            assert plan == ["SEARCH rooms USING INDEX rooms_open_game (game=?)"]


async def test_every_query_uses_an_index_in_postgres(database: str) -> None:
    from server.storage.postgres.store import PostgresStore

    store = PostgresStore(database)
    await store.open()
    await store.close()
    connection = await asyncpg.connect(database)
    await connection.execute("SET enable_seqscan = off")  # the planner would use it for a small table
    for sql, values in all_queries("$"):
        plan = "\n".join(line[0] for line in await connection.fetch(f"EXPLAIN {sql}", *values))
        assert "Seq Scan" not in plan, (sql, plan)
        assert "rooms_pkey" not in plan, (sql, plan)
    await connection.close()


@pytest.mark.parametrize("name", ["", "ann"])
async def test_games_that_ended_in_the_same_millisecond_are_on_one_page(store: Store, name: str) -> None:
    for number in range(15):
        await append_and_wait(
            store, Append(f"r{number}", 0, (b"a",), row(f"r{number}", "ended", result="1-0", changed_at=8))
        )
    await append_and_wait(store, Append("late", 0, (b"a",), row("late", "ended", result="1-0", changed_at=9)))
    await append_and_wait(store, Append("early", 0, (b"a",), row("early", "ended", result="1-0", changed_at=7)))
    found: list[bytes] = []
    before = None
    while page := await store.history("", name, before, 2):
        found += [info for _, info in page]
        before = page[-1][0]
    assert (found[0], found[-1], len(found), len(set(found))) == (b"late", b"early", 17, 17)


async def test_game_with_the_same_name_on_both_seats_is_listed_once(store: Store) -> None:
    await append_and_wait(store, Append("r", 0, (b"a",), row("r", "ended", result="1-0", names=("ann", "ann"))))
    assert await store.history("", "Ann", None, 10) == [(5, b"r")]


async def test_private_games_are_not_in_the_history(store: Store) -> None:
    await append_and_wait(store, Append("r", 0, (b"a",), row("r", "ended", result="1-0", private=True)))
    assert await store.history("", "", None, 10) == await store.history("", "ann", None, 10) == []
    assert await store.rooms("", "ended", 10) == []


async def test_ended_rooms_are_sorted_by_end_time(store: Store) -> None:
    for name, at in (("a", 9), ("b", 8), ("c", 10)):
        await append_and_wait(store, Append(name, 0, (b"a",), row(name, "ended", changed_at=at)))
    assert await store.rooms("conga", "ended", 2) == [b"c", b"a"]
