"""The store of a worker: the same file as all workers of a server, written by one process that serves them all.

Connected players are rows of the table `present`, as in PostgreSQL: a name belongs to one player on all workers.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from protocol.usernames import fold
from runtime.file_lock import try_lock
from server.storage.interface import BUSY_TIMEOUT_S, LOCK_TIMEOUT_S, LostPlayer, OnCommit
from server.storage.sqlite.store import SqliteStore
from server.storage.sqlite.worker_link import WriterLink
from server.storage.sqlite.write_queue import WriteQueue

LOCK_INTERVAL_S = 0.005  # between attempts to get a lock
CLAIM_NAME = """
    INSERT OR REPLACE INTO present (node, player, name) SELECT ?1, ?2, ?3
    WHERE NOT EXISTS (SELECT 1 FROM present WHERE name = ?3 AND player <> ?2)
"""
LOST_PLAYERS = """
    SELECT player, max(abs(alive_at)) FROM present JOIN nodes USING (node)
    WHERE alive_at < ?1 AND NOT EXISTS (
        SELECT 1 FROM present AS other JOIN nodes AS living ON living.node = other.node
        WHERE other.player = present.player AND living.alive_at >= ?1)
    GROUP BY player
"""


class WorkerStore(SqliteStore):
    """A store that the workers of one server share. The parent process has migrated and locked the file.

    `address`: the unix socket of the writer process. Its folder also has the lock files of the workers.
    """

    shared = True

    def __init__(
        self,
        path: str,
        address: str,
        on_commit: OnCommit = lambda seconds, jobs: None,
        busy: float = BUSY_TIMEOUT_S,
    ) -> None:
        super().__init__(path, on_commit, busy, address)

    async def open(self, create: bool = True, serving: bool = False, read_only: bool = False) -> bool:
        return await super().open(create, False, read_only)

    def _prepare(self, read_only: bool) -> tuple[sqlite3.Connection, bool]:
        return super()._prepare(True)

    def _write_queue(self) -> WriteQueue:
        return WriteQueue(self.path, self._busy, self.on_commit, self._payload, WriterLink, self._address)

    @asynccontextmanager
    async def lock(self, what: str, wait_s: float = LOCK_TIMEOUT_S) -> AsyncIterator[None]:
        with (Path(self._address).parent / f"{what}.lock").open("wb") as file:
            while not try_lock(file.fileno()):  # noqa: ASYNC110  # another process holds it
                await asyncio.sleep(LOCK_INTERVAL_S)
            yield

    # -- the players connected to each worker

    async def mark_alive(self, node: str, now: int, on_bus: bool = True) -> bool:
        known = await self._write("UPDATE nodes SET alive_at = ?, on_bus = ? WHERE node = ?", now, on_bus, node)
        return bool(known) or not await super().mark_alive(node, now, on_bus)

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        sql = "INSERT OR IGNORE INTO present (node, player, name) VALUES (?,?,?)"
        await asyncio.gather(*(self._write(sql, node, player, fold(name)) for player, name in people))

    async def claim_name(self, node: str, player: str, name: str) -> bool:
        return await self._write(CLAIM_NAME, node, player, fold(name)) == 1

    async def player_named(self, name: str) -> str:
        account = await self.account_named(name)
        if account is not None:
            return account.player
        rows = await self._read("SELECT player FROM present WHERE name = ? LIMIT 1", fold(name))
        return str(rows[0][0]) if rows else ""

    async def mark_absent(self, node: str, player: str, name: str) -> None:
        await self._write("DELETE FROM present WHERE node = ? AND player = ? AND name = ?", node, player, fold(name))

    async def lost_players(self, before: int) -> list[LostPlayer]:
        return [LostPlayer(*row) for row in await self._read(LOST_PLAYERS, before)]

    async def remove_dead_nodes(self, before: int) -> None:
        for (node,) in await self._read("SELECT node FROM nodes WHERE alive_at < ?", before):
            if await self._write("DELETE FROM nodes WHERE node = ? AND alive_at < ?", node, before):
                await self._write("DELETE FROM present WHERE node = ?", node)

    async def seen_at(self, player: str, node: str) -> int | None:
        sql = "SELECT max(abs(alive_at)) FROM nodes JOIN present USING (node) WHERE player = ? AND node <> ?"
        rows = await self._read(sql, player, node)
        at: int | None = rows[0][0]
        return at
