"""PgBouncer in front of PostgreSQL: it works if it gives each client a session, and is refused otherwise."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import AF_UNIX, socket
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest

from bench.cluster.postgres import Postgres, unprivileged
from server.storage.factory import open_store
from server.storage.interface import StoreError
from server.storage.tables import ROOMS
from tests.server.storage.played import play_games
from tests.waiting import until

PORT = 6432  # of the socket in a folder of its own
CONFIG = """
[databases]
* = host={host} user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = {port}
auth_type = any
pool_mode = {mode}
logfile = {folder}/log
"""


def listens(path: Path) -> bool:
    with socket(AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


@asynccontextmanager
async def pgbouncer(postgres: Postgres, database: str, mode: str) -> AsyncIterator[str]:
    """Run PgBouncer, and yield the address of the database behind it."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    with TemporaryDirectory(prefix="parlour-pgb-", dir="/tmp") as name:
        folder, user = Path(name), unprivileged(Path(name))
        if user:
            shutil.chown(folder, user["user"], user["group"])
        config = folder / "pgbouncer.ini"
        config.write_text(CONFIG.format(host=postgres.folder, folder=folder, port=PORT, mode=mode))
        config.chmod(0o644)
        process = await asyncio.create_subprocess_exec(program, "-q", config, cwd="/", **user)
        try:
            await until("PgBouncer listens", lambda: listens(folder / f".s.PGSQL.{PORT}"))
            yield f"postgresql://postgres@{urlsplit(database).path}?host={folder}&port={PORT}"
        finally:
            process.terminate()
            await process.wait()


async def test_games_are_played_through_sessions_of_a_pooler(postgres: Postgres, database: str) -> None:
    async with pgbouncer(postgres, database, "session") as address:
        await play_games(address)
        store = open_store(address)
        await store.open()
        assert len(await store.read_rows(ROOMS)) == 7
        await store.close()


async def test_pooler_that_shares_sessions_is_refused(postgres: Postgres, database: str) -> None:
    async with pgbouncer(postgres, database, "transaction") as address:
        for _ in range(3):
            with pytest.raises(StoreError, match=r"PgBouncer.* that shares sessions: set pool_mode = session there"):
                await open_store(address).open()
