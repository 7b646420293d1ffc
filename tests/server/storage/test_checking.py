"""The check of a database: nothing to report after real games, and one sentence for each fault."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from server.ids import first_room_id
from server.storage.checking import find_faults
from server.storage.factory import open_store
from server.storage.interface import Store
from server.storage.tables import RATINGS, STANDINGS, TABLES
from tests.server.storage.played import play_games
from tests.server.storage.rows import rating

ENDED = "(SELECT room FROM rooms WHERE result <> '*' AND name1 LIKE 'jos%')"
RUNNING = "(SELECT max(room) FROM rooms WHERE status = 'running')"
FAULTS = {
    "DELETE FROM events WHERE seq = 3 AND room = {ended}": r"room \w+ has no event 3, and has event 4",
    "DELETE FROM events WHERE room = {ended}": r"room \w+ is in the index and has no events",
    "DELETE FROM rooms WHERE status = 'running'": r"room \w+ has events and is not in the index",
    "UPDATE events SET payload = '' WHERE seq = 2 AND room = {ended}": r"the log of room \w+ cannot be replayed: .+",
    "UPDATE events SET room = 'other' WHERE room = {running}": r"room other has events and is not in the index",
    "UPDATE rooms SET status = 'running' WHERE room = {ended}": r"room \w+: the index has status 'running', the log",
    "UPDATE rooms SET result = '1/2-1/2' WHERE room = {ended}": r"room \w+: the index has result '1/2-1/2', the log",
    "UPDATE rooms SET name0 = 'eve' WHERE room = {ended}": r"room \w+: the index has names \('eve', 'jos.'\), the log",
    "UPDATE rooms SET private = NOT private WHERE room = {ended}": r"room \w+: the index has private True",
    "UPDATE rooms SET deadline = NULL WHERE room = {running}": r"room \w+ has a deadline that is not in the index",
    "UPDATE rooms SET info = '' WHERE room = {ended}": r"room \w+: the index and the log describe the room differently",
    "UPDATE reviews SET room = 'gone'": "there is a review of room gone, which has not ended here",
    "UPDATE reviews SET room = {running}": r"there is a review of room \w+, which has not ended here",
    "UPDATE reviews SET review = 'x'": r"the review of room \w+ cannot be read",
    "DELETE FROM ratings WHERE player = 'p-ann' AND games = 2": r"ratings of player p-ann in cohcoh: no rating between",
    "UPDATE ratings SET room = 'gone' WHERE player = 'p-ann' AND games = 2": r"ratings .* game 2 is of room gone",
    "UPDATE account_keys SET player = 'gone'": "the SSH key SHA256:a is of player gone, who has no account",
    "UPDATE standings SET rating = 3000 WHERE player = 'p-ben'": r"ratings of player p-ben .* is not the latest rating",
    "DELETE FROM standings WHERE player = 'p-ben'": r"ratings of player p-ben in cohcoh: there is no standing",
    "UPDATE accounts SET folded = 'eve' WHERE name = 'ann'": r"account ann is stored as 'eve', not as 'ann'",
    "UPDATE sessions SET account = 'eve' WHERE account = 'ann'": r"a session of player p-ann is of account eve, which",
}


@pytest.fixture
async def played(place: str) -> AsyncIterator[Store]:
    await play_games(place)
    store = open_store(place)
    await store.open()
    yield store
    await store.close()


async def faults_of(store: Store) -> list[str]:
    return [fault async for fault in find_faults(store, lambda what, count: None)]


async def test_each_fault_is_found(played: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is taken back, so that one database serves all of them."""
    monkeypatch.setattr("server.storage.checking.ROOMS_PER_BATCH", 2)
    assert await faults_of(played) == []
    tables = [table for table in TABLES if table.name not in ("nodes", "retention")]
    before = {table: await played.read_rows(table) for table in tables}
    for sql, pattern in FAULTS.items():
        await played._change_together([(sql.format(ended=ENDED, running=RUNNING), ())])  # type: ignore[attr-defined]
        faults = await faults_of(played)
        assert any(re.match(pattern, fault) for fault in faults), (sql, faults)
        for table, rows in before.items():
            await played.replace_rows(table, (), (), rows)
        assert await faults_of(played) == [], sql


async def test_rating_of_an_archived_game_is_not_a_fault(store: Store) -> None:
    room = f"{first_room_id('2025-03')}aaaaa"
    await store.replace_rows(RATINGS, (), (), [rating("p1", 1, room=room)])
    await store.replace_rows(STANDINGS, (), (), [rating("p1", 1, room=room)])
    assert await faults_of(store) == [
        f"ratings of player p1 in conga: game 1 is of room {room}, which has not ended here"
    ]
    await store.set_archive(("2025-03", "archive.db", 1, 9, 5))
    assert await faults_of(store) == []


async def test_damaged_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "parlour.db"
    await play_games(str(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'rooms_open'").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with path.open("rb+") as file:
        file.seek((page - 1) * 4096 + 8)
        file.write(bytes(100))
    store = open_store(str(path))
    await store.open(read_only=True)
    faults = await faults_of(store)
    await store.close()
    assert any(fault.startswith("the file is damaged: ") for fault in faults)
