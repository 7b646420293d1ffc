"""The store in PostgreSQL, for any number of nodes: one connection writes events, a pool does everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from zlib import crc32

import asyncpg

from protocol.usernames import fold
from server.logs import log
from server.storage import queries
from server.storage.account_keys import AccountKeys
from server.storage.interface import (
    LOCK_TIMEOUT_S,
    Append,
    Done,
    OnCommit,
    PlayerRooms,
    ReadTimeout,
    StoreError,
    Unavailable,
)
from server.storage.keys import Keys
from server.storage.postgres.accounts import ROOMS_FOR, Accounts
from server.storage.postgres.partitions import add_months, drop_month
from server.storage.postgres.ratings import Ratings
from server.storage.postgres.schema import migrate, require_current_schema
from server.storage.postgres.write_queue import CONNECTION_ERRORS, WriteQueue, describe
from server.storage.retention_queries import RetentionQueries
from server.storage.reviews import Reviews
from server.storage.tables import Statements

POOL_SIZE = 5  # connections besides the one that writes
TIMEOUT_S = 10.0  # for a statement
CONNECT_TIMEOUT_S = 3.0  # when the network is back, the next attempt follows soon
MAINTENANCE_TIMEOUT_S = 3600.0  # for a statement of a migration or of `parlour db`
READ_TIMEOUT_S = 2.0  # for a search that a client asks for
RELEASE_TIMEOUT_S = 0.5  # to end a statement that took too long; then its connection is given up
POOL_CLOSE_TIMEOUT_S = 0.5
CONNECTION_CLOSE_TIMEOUT_S = 2
LOCK_CLASS = 0x5041524C  # the first half of an advisory lock's key: "PARL"
LAST_OPPONENT = queries.last_opponent("$")


class PostgresStore(Accounts, Ratings, Keys, AccountKeys, RetentionQueries, Reviews):
    """A store that several nodes share."""

    shared = True
    mark = "$"
    byte_order = ' COLLATE "C"'

    def __init__(self, url: str, on_commit: OnCommit = lambda seconds, jobs: None, pool: int = POOL_SIZE) -> None:
        self._url = url
        self._on_commit = on_commit
        self._size = pool
        self._pool: Any = None
        self._writer: WriteQueue | None = None

    async def open(self, create: bool = True, serving: bool = False, read_only: bool = False) -> bool:
        try:
            self._pool = await self._open_pool()
            connection = await self._connect()
            try:
                await refuse_shared_session(connection, self._pool)
                new = await self._prepare(create, read_only)
            except BaseException:
                await connection.close(timeout=CONNECTION_CLOSE_TIMEOUT_S)
                raise
        except StoreError:
            await self.close()
            raise
        except (*CONNECTION_ERRORS, asyncpg.PostgresError, ValueError) as error:
            await self.close()
            how = "check the address in --db, and that PostgreSQL is running there"
            raise StoreError(f"cannot use the database: {describe(error)}: {how}") from None
        self._writer = WriteQueue(connection, self._connect, self._on_commit)
        return new

    async def _prepare(self, create: bool, read_only: bool) -> bool:
        """Migrate the database. Return whether it was empty. Another node may migrate it first, and take long."""
        connection = await asyncpg.connect(self._url, timeout=TIMEOUT_S, command_timeout=MAINTENANCE_TIMEOUT_S)
        try:
            if read_only:
                await require_current_schema(connection)
                return False
            return await migrate(connection, create)
        finally:
            await connection.close(timeout=CONNECTION_CLOSE_TIMEOUT_S)

    async def _open_pool(self) -> Any:
        return await asyncpg.create_pool(
            self._url,
            min_size=1,
            max_size=self._size,
            timeout=TIMEOUT_S,
            command_timeout=TIMEOUT_S,
            init=limit_statements,
            reset=keep_state,
        )

    async def _connect(self) -> Any:
        return await asyncpg.connect(self._url, timeout=CONNECT_TIMEOUT_S, command_timeout=TIMEOUT_S)

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.close()
            self._writer = None
        if self._pool is not None:
            try:
                await asyncio.wait_for(self._pool.close(), POOL_CLOSE_TIMEOUT_S)
            except (*CONNECTION_ERRORS, asyncpg.PostgresError):
                self._pool.terminate()
            self._pool = None

    async def find_damage(self, table: str = "") -> str:
        return ""  # PostgreSQL reports damage itself

    async def find_broken_pages(self) -> list[str]:
        return []  # see pg_amcheck

    async def back_up(self, target: str) -> int:
        raise StoreError("PostgreSQL has its own program for backups: run pg_dump -Fc -f FILE DATABASE")

    def check(self) -> None:
        """Do nothing: a database that has gone rejects every statement."""

    async def forget_present(self) -> None:
        """Do nothing: other nodes may be running."""

    # -- reading and writing

    def append(self, append: Append, done: Done) -> None:
        assert self._writer is not None
        self._writer.submit(append, done)

    def fail_fast(self) -> None:
        """Do nothing: this store always rejects writes at once while the database is unavailable."""

    async def flush(self) -> None:
        if self._writer is not None:
            await self._writer.flush()

    @property
    def queued(self) -> int:
        return 0 if self._writer is None else self._writer.queued

    @property
    def write_age_s(self) -> float:
        return 0.0 if self._writer is None else self._writer.write_age_s

    async def _fetch(self, sql: str, *values: Any, lock: str = "") -> list[Any]:
        """Run a statement and return its rows. Retry once if a connection of the pool has died.

        `lock`: run it under the lock of this name, so that it sees what earlier holders of the lock have written.

        Raises Unavailable, at most TIMEOUT_S + RELEASE_TIMEOUT_S later, whatever the pool and the network do.
        """
        for attempt in (1, 2):
            try:
                async with asyncio.timeout(TIMEOUT_S), self._connection() as connection:
                    rows: list[Any] = await (
                        fetch_locked(connection, lock, sql, *values) if lock else connection.fetch(sql, *values)
                    )
                return rows
            except CONNECTION_ERRORS as error:
                if attempt == 2 or isinstance(error, TimeoutError):
                    raise Unavailable(f"the database is unavailable: {describe(error)}") from None
            except asyncpg.CharacterNotInRepertoireError:  # a text that cannot be stored matches no row
                return []
            except asyncpg.PostgresError as error:
                raise Unavailable(f"the database rejected the statement: {describe(error)}") from None
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        """Yield a connection of the pool. To end a statement, asyncpg connects again, which may take very long."""
        connection = await self._pool.acquire()
        try:
            yield connection
        finally:
            await self._pool.release(connection, timeout=RELEASE_TIMEOUT_S)

    async def _search(self, sql: str, *values: Any) -> list[Any]:
        """Run a query that a client asks for. Raises ReadTimeout if it takes too long, or Unavailable."""
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await self._fetch(sql, *values)
        except TimeoutError:
            raise ReadTimeout() from None

    @asynccontextmanager
    async def lock(self, what: str, wait_s: float = LOCK_TIMEOUT_S) -> AsyncIterator[None]:
        """Hold a lock among all nodes. It ends with the connection, so a dead node releases it.

        Raises Unavailable, also if another node holds the lock for longer than `wait_s`.
        """
        connection = await self._acquire_locked(what, asyncio.get_running_loop().time() + wait_s)
        try:
            yield
        finally:
            try:
                await connection.execute("SELECT pg_advisory_unlock($1, $2)", *lock_key(what))
            except (*CONNECTION_ERRORS, asyncpg.PostgresError):
                connection.terminate()  # releases the lock
            await self._pool.release(connection)

    async def _acquire_locked(self, what: str, give_up_at: float) -> Any:
        """Return a connection of the pool that holds a lock. Raises Unavailable."""
        while True:
            try:
                connection = await self._pool.acquire(timeout=TIMEOUT_S)
            except (*CONNECTION_ERRORS, asyncpg.PostgresError) as error:
                raise Unavailable(f"the database is unavailable: {describe(error)}") from None
            try:
                await connection.execute("SELECT pg_advisory_lock($1, $2)", *lock_key(what))
                return connection
            except (*CONNECTION_ERRORS, asyncpg.PostgresError) as error:
                connection.terminate()  # it may hold the lock nevertheless
                await self._pool.release(connection)
                waited = isinstance(error, TimeoutError | asyncpg.QueryCanceledError)
                if not waited or asyncio.get_running_loop().time() > give_up_at:
                    raise Unavailable(f"the database is unavailable: {describe(error)}") from None
                log("waiting_for_lock", what=what)

    async def time(self) -> int:
        rows = await self._fetch("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        at: int = rows[0][0]
        return at

    # -- retention

    async def _select(self, sql: str, *values: Any) -> list[Any]:
        return await self._fetch(sql, *values)

    async def _change(self, sql: str, *values: Any) -> int:
        return len(await self._fetch(f"{sql} RETURNING 1", *values))

    async def _change_together(self, statements: Statements) -> None:
        async with self._maintaining() as connection, connection.transaction():
            for sql, values in statements:
                await connection.execute(sql, *values)

    async def sizes(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return the database's estimates: counting would read whole tables."""
        sql = """
            SELECT coalesce(inhparent::regclass::text, relname) AS name,
                sum(greatest(reltuples, 0))::bigint, sum(pg_total_relation_size(oid))::bigint
            FROM pg_class LEFT JOIN pg_inherits ON inhrelid = oid
            WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY name
        """
        tables = await self._fetch(sql)
        return {row[0]: row[1] for row in tables}, {row[0]: row[2] for row in tables}

    async def prepare_log(self, months: Sequence[str]) -> None:
        async with self._maintaining() as connection:
            await add_months(connection, months)

    async def drop_month(self, month: str, rooms: int) -> bool:
        async with self._maintaining() as connection:
            return await drop_month(connection, month, rooms, MAINTENANCE_TIMEOUT_S)

    @asynccontextmanager
    async def _maintaining(self) -> AsyncIterator[Any]:
        """Yield a connection. Raises Unavailable for its errors."""
        try:
            async with self._pool.acquire() as connection:
                yield connection
        except (*CONNECTION_ERRORS, asyncpg.PostgresError) as error:
            raise Unavailable(f"the database cannot be written: {describe(error)}") from None

    # -- rooms

    async def events(self, room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        sql = "SELECT payload FROM events WHERE room = $1 AND seq > $2 ORDER BY seq LIMIT $3"
        rows = await self._fetch(sql, room, after, limit)
        return [row[0] for row in rows]

    async def latest_seqs(self, rooms: list[str]) -> dict[str, int]:
        sql = """
            SELECT room, (SELECT max(seq) FROM events WHERE events.room = wanted.room)
            FROM unnest($1::text[]) AS wanted (room)
        """
        return {row[0]: row[1] for row in await self._fetch(sql, rooms) if row[1] is not None}

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        sql, values = queries.rooms("$", game, status)
        return [row[0] for row in await self._search(sql, limit, *values)]

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        return await queries.history(self._search, "$", game, name, before, limit)

    async def last_opponent(self, player: str, name: str) -> str:
        rows = await self._fetch(LAST_OPPONENT, player, fold(name))
        return str(rows[0][0]) if rows else ""

    async def rooms_of(self, player: str) -> list[str]:
        sql = "SELECT room FROM rooms WHERE status <> 'ended' AND (player0 = $1 OR player1 = $1) ORDER BY room"
        return [row[0] for row in await self._fetch(sql, player)]

    async def rooms_for(self, player: str, name: str) -> PlayerRooms:
        rows = await self._fetch(f"SELECT {ROOMS_FOR}", player, fold(name))
        return PlayerRooms(*rows[0])

    async def due(self, before: int) -> list[tuple[str, int]]:
        sql = "SELECT room, deadline FROM rooms WHERE deadline <= $1 ORDER BY deadline LIMIT 500"
        return [(row[0], row[1]) for row in await self._fetch(sql, before)]

    async def postpone(self, room: str, was: int, due: int) -> None:
        await self._fetch("UPDATE rooms SET deadline = $3 WHERE room = $1 AND deadline = $2", room, was, due)

    async def unfinished_rooms(self, status: str = "") -> list[str]:
        return [row[0] for row in await self._fetch(queries.unfinished_rooms(status))]

    async def has_running_rooms(self) -> bool:
        return bool(await self._fetch(queries.HAS_RUNNING_ROOMS))


async def refuse_shared_session(first: Any, pool: Any) -> None:
    """Raise StoreError if two connections share a session of PostgreSQL: a pooler gives it to each statement in turn.

    Locks and prepared statements belong to a session, so they would be another connection's.
    """
    shared = "the address in --db leads to a pooler (such as PgBouncer) that shares sessions"
    how = "set pool_mode = session there, or give the address of PostgreSQL itself"
    try:
        async with pool.acquire() as second:
            sessions = [await connection.fetchval("SELECT pg_backend_pid()") for connection in (first, second)]
    except (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError):
        raise StoreError(f"{shared}: {how}") from None
    if sessions[0] == sessions[1]:
        raise StoreError(f"{shared}: {how}")


async def limit_statements(connection: Any) -> None:
    """Let PostgreSQL end a statement that takes too long, if this node cannot cancel it."""
    await connection.execute(f"SET statement_timeout = {int(TIMEOUT_S * 1000)}")


async def keep_state(connection: Any) -> None:
    """Skip the reset of a connection: no statement here leaves state behind, and a reset would double a read's cost."""


def lock_key(name: str) -> tuple[int, int]:
    """Return the key of an advisory lock."""
    return LOCK_CLASS, crc32(name.encode()) - 2**31


async def fetch_locked(connection: Any, lock: str, sql: str, *values: Any) -> list[Any]:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", *lock_key(lock))
        rows: list[Any] = await connection.fetch(sql, *values)
        return rows
