"""The store in PostgreSQL, for any number of nodes: one connection that writes events, a pool for everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from zlib import crc32

import asyncpg

from protocol.usernames import fold
from server.storage import queries
from server.storage.interface import Append, Done, OnCommit, StoreError, Unavailable
from server.storage.postgres.accounts import People
from server.storage.postgres.ratings import Ratings
from server.storage.postgres.schema import migrate
from server.storage.postgres.write_queue import BROKEN, Writer, describe

POOL = 5  # connections beside the one that writes
PATIENCE = 10.0  # seconds for a statement, and to connect
TURN = 0x5041524C  # the first half of an advisory lock's key: "PARL"
LAST_OPPONENT = queries.last_opponent("$")


class PostgresStore(People, Ratings):
    shared = True

    def __init__(self, url: str, on_commit: OnCommit = lambda seconds, jobs: None, pool: int = POOL) -> None:
        self._url = url
        self._on_commit = on_commit
        self._size = pool
        self._pool: Any = None
        self._writer: Writer | None = None

    async def open(self, create: bool = True) -> bool:
        try:
            connection = await self._connect()
            try:
                new = await migrate(connection, create)
            except BaseException:
                await connection.close(timeout=2)
                raise
            self._pool = await asyncpg.create_pool(
                self._url,
                min_size=1,
                max_size=self._size,
                timeout=PATIENCE,
                command_timeout=PATIENCE,
                reset=as_it_is,
            )
        except (*BROKEN, asyncpg.PostgresError, ValueError) as error:
            raise StoreError(f"cannot use the database: {describe(error)}") from None
        self._writer = Writer(connection, self._connect, self._on_commit)
        return new

    async def _connect(self) -> Any:
        return await asyncpg.connect(self._url, timeout=PATIENCE, command_timeout=PATIENCE)

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.close()
            self._writer = None
        if self._pool is not None:
            try:
                await asyncio.wait_for(self._pool.close(), 0.5)
            except (*BROKEN, asyncpg.PostgresError):
                self._pool.terminate()
            self._pool = None

    async def find_damage(self, table: str = "") -> str:
        return ""  # it says so itself

    # -- reading and writing

    def append(self, append: Append, done: Done) -> None:
        assert self._writer is not None
        self._writer.submit(append, done)

    def fail_fast(self) -> None:
        """It does that at all times: while the database is away nobody waits for it."""

    async def flush(self) -> None:
        if self._writer is not None:
            await self._writer.flush()

    @property
    def queued(self) -> int:
        return 0 if self._writer is None else self._writer.queued

    @property
    def write_age_s(self) -> float:
        return 0.0 if self._writer is None else self._writer.write_age_s

    async def _fetch(self, sql: str, *values: Any, turn: str = "") -> list[Any]:
        """Rows; a connection of the pool that has died is replaced by a new one, once.

        `turn`: the statement sees what every other one that waited for the same turn has written before it.
        """
        for attempt in (1, 2):
            try:
                async with self._pool.acquire() as connection:
                    rows: list[Any] = await (
                        in_turn(connection, turn, sql, *values) if turn else connection.fetch(sql, *values)
                    )
                return rows
            except BROKEN as error:
                if attempt == 2 or isinstance(error, TimeoutError):
                    raise Unavailable(f"the database is away: {describe(error)}") from None
            except asyncpg.CharacterNotInRepertoireError:  # what no text may hold is not there
                return []
            except asyncpg.PostgresError as error:
                raise Unavailable(f"the database refuses: {describe(error)}") from None
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def lock(self, what: str) -> AsyncIterator[None]:
        """One at a time among all nodes. Whoever dies gives way: the lock ends with the connection."""
        try:
            connection = await self._pool.acquire(timeout=PATIENCE)
        except (*BROKEN, asyncpg.PostgresError) as error:
            raise Unavailable(f"the database is away: {describe(error)}") from None
        try:
            try:
                await connection.execute("SELECT pg_advisory_lock($1, $2)", *key(what))
            except (*BROKEN, asyncpg.PostgresError) as error:
                raise Unavailable(f"the database is away: {describe(error)}") from None
            yield
        finally:
            try:
                await connection.execute("SELECT pg_advisory_unlock($1, $2)", *key(what))
            except (*BROKEN, asyncpg.PostgresError):
                connection.terminate()  # and with it the lock
            await self._pool.release(connection)

    async def time(self) -> int:
        rows = await self._fetch("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        at: int = rows[0][0]
        return at

    # -- rooms

    async def events(self, room: str, after: int = 0) -> list[bytes]:
        rows = await self._fetch("SELECT payload FROM events WHERE room = $1 AND seq > $2 ORDER BY seq", room, after)
        return [row[0] for row in rows]

    async def latest_seqs(self, rooms: list[str]) -> dict[str, int]:
        sql = """
            SELECT room, (SELECT max(seq) FROM events WHERE events.room = wanted.room)
            FROM unnest($1::text[]) AS wanted (room)
        """
        return {row[0]: row[1] for row in await self._fetch(sql, rooms) if row[1] is not None}

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        sql, values = queries.rooms("$", game, status)
        return [row[0] for row in await self._fetch(sql, limit, *values)]

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        return await queries.history(self._fetch, "$", game, name, before, limit)

    async def last_opponent(self, player: str, name: str) -> str:
        rows = await self._fetch(LAST_OPPONENT, player, fold(name))
        return str(rows[0][0]) if rows else ""

    async def rooms_of(self, player: str) -> list[str]:
        sql = "SELECT room FROM rooms WHERE status <> 'ended' AND (player0 = $1 OR player1 = $1) ORDER BY room"
        return [row[0] for row in await self._fetch(sql, player)]

    async def rooms_waiting_for(self, name: str) -> list[str]:
        sql = "SELECT room FROM rooms WHERE status = 'waiting' AND (name0 = $1 OR name1 = $1) ORDER BY room"
        return [row[0] for row in await self._fetch(sql, fold(name))]

    async def due(self, before: int) -> list[tuple[str, int]]:
        sql = "SELECT room, deadline FROM rooms WHERE deadline <= $1 ORDER BY deadline LIMIT 500"
        return [(row[0], row[1]) for row in await self._fetch(sql, before)]

    async def postpone(self, room: str, was: int, due: int) -> None:
        await self._fetch("UPDATE rooms SET deadline = $3 WHERE room = $1 AND deadline = $2", room, was, due)

    async def unfinished_rooms(self) -> list[str]:
        return [row[0] for row in await self._fetch("SELECT room FROM rooms WHERE status <> 'ended' ORDER BY room")]


async def as_it_is(connection: Any) -> None:
    """Nothing here leaves anything behind in a connection; to reset it would double the cost of every read."""


def key(turn: str) -> tuple[int, int]:
    """Of an advisory lock."""
    return TURN, crc32(turn.encode()) - 2**31


async def in_turn(connection: Any, turn: str, sql: str, *values: Any) -> list[Any]:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", *key(turn))
        rows: list[Any] = await connection.fetch(sql, *values)
        return rows
