"""Backups of PostgreSQL as docs/operating.md describes them: a dump, and a restore of one moment."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bench.cluster.postgres import Postgres, binaries
from server.app import running
from server.config import Settings
from server.storage.checking import find_faults
from server.storage.factory import open_store
from server.storage.interface import Store
from server.storage.tables import ROOMS, TABLES
from tests.e2e.guest import Guest
from tests.e2e.play import play, room_of
from tests.server.storage.played import play_games
from tests.waiting import TIMEOUT_S

DOCUMENT = (Path(__file__).parents[4] / "docs" / "operating.md").read_text("utf-8")
_restored = count(1)


@asynccontextmanager
async def opened(db: str) -> AsyncIterator[Store]:
    store = open_store(db)
    await store.open(create=False)
    try:
        yield store
    finally:
        await store.close()


async def check(store: Store) -> None:
    assert [fault async for fault in find_faults(store, lambda what, done: None)] == []


async def test_dump_is_restored_with_all_rows(postgres: Postgres, database: str, tmp_path: Path) -> None:
    await play_games(database)
    dump, name = str(tmp_path / "parlour.dump"), f"restored{next(_restored)}"
    await postgres.create(name)
    other = postgres.url(name)
    for words in (("pg_dump", "-Fc", "-f", dump, database), ("pg_restore", "-d", other, dump)):
        assert f"$ {words[0]} {words[1]} " in DOCUMENT
        await asyncio.to_thread(subprocess.run, [binaries() / words[0], *words[1:]], check=True)
    async with opened(database) as before, opened(other) as after:
        for table in TABLES:
            assert await after.read_rows(table) == await before.read_rows(table), table.name
        await check(after)


def documented_settings(keyword: str, backup: Path) -> str:
    """Return the lines of `postgresql.conf` in the document that have a keyword, with another folder."""
    (block,) = [text for text in re.findall(r"```\n(.*?)```", DOCUMENT, re.DOTALL) if f"{keyword} = " in text]
    return f"\n{block.replace('/backup', str(backup))}"


async def asked(db: str, what: str) -> Any:
    """Return the value of an expression."""
    connection = await asyncpg.connect(db)
    try:
        return await connection.fetchval(f"SELECT {what}")
    finally:
        await connection.close()


async def played_room(db: str) -> str:
    """Start a server, play some moves, and stop it. Return the room, whose game goes on."""
    async with running(Settings(db=db, port=0, house="none")) as server:
        ann, ben = [await Guest.open(server.url) for _ in range(2)]
        await ann.hello("ann")
        await ben.hello("ben")
        room = await room_of(ann, ben)
        await play(ann, ben, room, "a1", "b1")
        for guest in (ann, ben):
            await guest.close()
    return room


@pytest.mark.long
async def test_database_is_restored_as_it_was_at_one_moment(postgres: Postgres) -> None:
    """The second game began after that moment. `postgres` only says whether PostgreSQL is installed."""
    server = Postgres()
    data, backup = server.folder / "data", server.folder / "backup"
    try:
        server.run("/bin/mkdir", "-p", f"{backup}/wal")
        with (data / "postgresql.conf").open("a") as file:
            file.write(documented_settings("archive_command", backup))
        server.start()
        db = server.url()
        before = await played_room(db)
        server.run("pg_basebackup", "-h", str(server.folder), "-U", "postgres", "-D", f"{backup}/base", "-X", "stream",
                   "-c", "fast")  # fmt: skip
        first = await played_room(db)
        moment = await asked(db, "clock_timestamp()::text")
        second = await played_room(db)
        await asyncio.to_thread(server.stop)  # archives the rest of the log
        shutil.rmtree(data)
        server.run("/bin/cp", "-a", f"{backup}/base", str(data))
        with (data / "postgresql.conf").open("a") as file:
            settings = documented_settings("restore_command", backup)
            file.write(re.sub(r"recovery_target_time = .*", f"recovery_target_time = '{moment}'", settings))
        server.run("/bin/touch", f"{data}/recovery.signal")
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(TIMEOUT_S):
            while await asked(db, "pg_is_in_recovery()"):
                pass
        async with opened(db) as store:
            rooms = [row[0] for row in await store.read_rows(ROOMS)]
            assert rooms == [before, first]
            assert second not in rooms
            await check(store)
        async with running(Settings(db=db, port=0, house="none")) as parlour:
            assert len(await parlour.app.store.unfinished_rooms("running")) == 2
    finally:
        await asyncio.to_thread(server.close)
