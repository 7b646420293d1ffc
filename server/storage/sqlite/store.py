"""The store in a SQLite file: WAL, synchronous=FULL, one process that writes and a few threads that read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import IO, Any

from protocol.usernames import fold
from runtime.threads import in_thread
from server.domain.downtime import Downtime
from server.storage import queries
from server.storage.account_keys import AccountKeys
from server.storage.interface import (
    BUSY_TIMEOUT_S,
    LOCK_TIMEOUT_S,
    Account,
    AccountChange,
    Append,
    Done,
    LostPlayer,
    OnCommit,
    PlayerRooms,
    ReturningPlayer,
    Session,
    StoreError,
    Unavailable,
    digest,
)
from server.storage.keys import Keys
from server.storage.retention_queries import RetentionQueries
from server.storage.reviews import Reviews
from server.storage.sqlite.backup import back_up
from server.storage.sqlite.files import check_path, file_sizes, lock_database, restrict_rights, wait_for_writers
from server.storage.sqlite.ratings import Ratings
from server.storage.sqlite.readers import READ_TIMEOUT_S, Read, Readers, Result, fetch
from server.storage.sqlite.schema import explain, find_damage, migrate, require_current_schema
from server.storage.sqlite.write_queue import WriteQueue
from server.storage.sqlite.writer_process import connect
from server.storage.tables import Statements

COUNTED_TABLES = ("rooms", "events", "reviews", "sessions", "accounts", "ratings")
MAX_BROKEN_PAGES = 20  # reported by a check
LAST_OPPONENT = queries.last_opponent("?")
ROOMS_OF = """
    SELECT room FROM rooms WHERE status <> 'ended' AND player0 = ?1 UNION
    SELECT room FROM rooms WHERE status <> 'ended' AND player1 = ?1 ORDER BY 1
"""
ROOMS_WAITING_FOR = """
    SELECT room FROM rooms WHERE status <> 'ended' AND status = 'waiting' AND ?1 IN (name0, name1) ORDER BY room
"""


class SqliteStore(Ratings, Keys, AccountKeys, RetentionQueries, Reviews):
    """A store for one node. `address`: a unix socket where its writer process also serves workers."""

    shared = False
    mark = "?"
    byte_order = ""  # texts are compared by their bytes anyway

    def __init__(
        self,
        path: str,
        on_commit: OnCommit = lambda seconds, jobs: None,
        busy: float = BUSY_TIMEOUT_S,
        address: str = "",
    ) -> None:
        self.path = path
        self._address = address
        self.on_commit = on_commit
        self._busy = busy
        self._readers = Readers()
        self._writer: WriteQueue | None = None
        self._names: dict[str, str] = {}  # folded name -> the player who uses it
        self._lock: IO[bytes] | None = None  # held by the one server that runs the games of this file

    async def open(self, create: bool = True, serving: bool = False, read_only: bool = False) -> bool:
        try:
            check_path(self.path, create)
            if not read_only:
                restrict_rights(self.path)
            if serving:
                self._lock = lock_database(self.path)
                await wait_for_writers(self.path)
            first, new = await in_thread(partial(self._prepare, read_only))
            await self._readers.open(first, self._connect)
            if read_only:
                return False
            self._writer = self._write_queue()
            await self._writer.start()
        except StoreError:
            await self.close()
            raise
        self.append = self._writer.submit  # type: ignore[method-assign,assignment]  # saves a call for each event
        return new

    def _write_queue(self) -> WriteQueue:
        return WriteQueue(self.path, self._busy, self.on_commit, self._payload, address=self._address)

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer.close()
            self._writer = None
        await self._readers.close()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = connect(self.path, self._busy, shared=True)
        except (sqlite3.Error, UnicodeError) as error:
            raise StoreError(explain(error, self.path)) from None
        connection.set_authorizer(deny_foreign_code)
        return connection

    def _prepare(self, read_only: bool) -> tuple[sqlite3.Connection, bool]:
        """Migrate the file, unless it is only read. Return a connection, and whether it is new. Raises StoreError."""
        connection = self._connect()
        try:
            if read_only:
                require_current_schema(connection, self.path)
                return connection, False
            return connection, migrate(connection, self.path)
        except StoreError:
            connection.close()
            raise
        except (sqlite3.Error, UnicodeError) as error:
            connection.close()
            raise StoreError(explain(error, self.path)) from None

    async def find_damage(self, table: str = "") -> str:
        return await self._readers.read(lambda reader: find_damage(reader, self.path, table), None)

    async def find_broken_pages(self) -> list[str]:
        rows = await self._select(f"PRAGMA integrity_check({MAX_BROKEN_PAGES})")
        return [str(text) for (text,) in rows if text != "ok"]

    async def back_up(self, target: str) -> int:
        return await self._in_reader(partial(back_up, self.path, target), None)

    def check(self) -> None:
        problem = "" if self._writer is None else self._writer.find_problem()
        if problem:
            raise Unavailable(problem)

    # -- writing

    def append(self, append: Append, done: Done) -> None:
        assert self._writer is not None
        self._writer.submit(append, done)

    def fail_fast(self) -> None:
        if self._writer is not None:
            self._writer.fail_fast()

    async def flush(self) -> None:
        if self._writer is not None:
            await self._writer.flush()

    @property
    def queued(self) -> int:
        return 0 if self._writer is None else self._writer.queued

    @property
    def write_age_s(self) -> float:
        return 0.0 if self._writer is None else self._writer.write_age_s

    async def _write(self, sql: str, *values: Any) -> int:
        assert self._writer is not None
        return await self._writer.execute((sql, values))

    async def _read(self, sql: str, *values: Any) -> list[Any]:
        return await self._in_reader(partial(fetch, sql, values))

    async def _in_reader(self, read: Read[Result], timeout_s: float | None = READ_TIMEOUT_S) -> Result:
        return await self._readers.read(read, timeout_s)

    # -- rooms

    async def events(self, room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        sql = "SELECT payload FROM events WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?"
        rows = await self._read(sql, room, after, -1 if limit is None else limit)
        return [payload for (payload,) in rows]

    async def _payload(self, room: str, seq: int) -> bytes | None:
        rows = await self._read("SELECT payload FROM events WHERE room = ? AND seq = ?", room, seq)
        return rows[0][0] if rows else None

    async def latest_seqs(self, rooms: list[str]) -> dict[str, int]:
        sql = f"SELECT room, max(seq) FROM events WHERE room IN ({','.join('?' * len(rooms))}) GROUP BY room"
        return dict(await self._read(sql, *rooms))

    async def rooms(self, game: str, status: str, limit: int) -> list[bytes]:
        sql, values = queries.rooms("?", game, status)
        return [info for (info,) in await self._read(sql, limit, *values)]

    async def history(self, game: str, name: str, before: int | None, limit: int) -> list[tuple[int, bytes]]:
        return await queries.history(self._read, "?", game, name, before, limit)

    async def last_opponent(self, player: str, name: str) -> str:
        rows = await self._read(LAST_OPPONENT, player, fold(name))
        return str(rows[0][0]) if rows else ""

    async def rooms_of(self, player: str) -> list[str]:
        return [room for (room,) in await self._read(ROOMS_OF, player)]

    async def rooms_for(self, player: str, name: str) -> PlayerRooms:
        return await self._in_reader(partial(read_rooms, player, fold(name)))

    async def due(self, before: int) -> list[tuple[str, int]]:
        sql = (
            "SELECT room, deadline FROM rooms WHERE deadline IS NOT NULL AND deadline <= ? ORDER BY deadline LIMIT 500"
        )
        return await self._read(sql, before)

    async def postpone(self, room: str, was: int, due: int) -> None:
        await self._write("UPDATE rooms SET deadline = ? WHERE room = ? AND deadline = ?", due, room, was)

    async def unfinished_rooms(self, status: str = "") -> list[str]:
        return [room for (room,) in await self._select(queries.unfinished_rooms(status))]

    async def has_running_rooms(self) -> bool:
        return bool(await self._read(queries.HAS_RUNNING_ROOMS))

    # -- sessions and accounts

    async def save_session(self, secret: str, session: Session, now: int, account_change: int = 0) -> bool:
        sql = """
            INSERT OR REPLACE INTO sessions (secret, player, name, account, seen_at) SELECT ?1, ?2, ?3, ?4, ?5
            WHERE ?4 = '' OR EXISTS (SELECT 1 FROM accounts WHERE player = ?2 AND revoked_at IS NULL AND change = ?6)
        """
        return await self._write(sql, digest(secret), *session, now, account_change) == 1

    async def load_session(self, secret: str) -> ReturningPlayer | None:
        return await self._in_reader(partial(read_session, secret))

    async def add_account(self, name: str, player: str, token: str, now: int) -> bool:
        sql = """
            INSERT INTO accounts (token, name, player, created_at, folded, change)
            SELECT ?1, ?2, ?3, ?4, ?5, (SELECT coalesce(max(change), 0) + 1 FROM accounts)
            WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE folded = ?5 AND revoked_at IS NULL)
        """
        return await self._write(sql, digest(token), name, player, now, fold(name)) == 1

    async def revoke_account(self, name: str, now: int) -> bool:
        sql = """
            UPDATE accounts SET revoked_at = ?1, change = (SELECT max(change) + 1 FROM accounts)
            WHERE folded = ?2 AND revoked_at IS NULL
        """
        return await self._write(sql, now, fold(name)) == 1

    async def rotate_account(self, name: str, token: str) -> bool:
        active = "folded = ? AND revoked_at IS NULL"
        changed = "token = ?, change = (SELECT max(change) + 1 FROM accounts)"
        found = await self._write(f"UPDATE accounts SET {changed} WHERE {active}", digest(token), fold(name)) == 1
        owner = f"SELECT player FROM accounts WHERE {active}"
        await self._write(f"DELETE FROM sessions WHERE player IN ({owner})", fold(name))
        return found

    async def accounts(self) -> list[Account]:
        sql = "SELECT name, player, created_at, revoked_at FROM accounts ORDER BY created_at"
        return [Account(*row) for row in await self._read(sql)]

    async def account_changes(self, after: int) -> list[AccountChange]:
        sql = """
            SELECT change, name, player, created_at, revoked_at FROM accounts WHERE change > ? ORDER BY change
        """
        return [AccountChange(change, Account(*account)) for change, *account in await self._read(sql, after)]

    async def last_account_change(self) -> int:
        rows = await self._read("SELECT coalesce(max(change), 0) FROM accounts")
        return int(rows[0][0])

    async def account_of_token(self, token: str) -> Account | None:
        return await self._account("token", digest(token))

    async def account_named(self, name: str) -> Account | None:
        return await self._account("folded", fold(name))

    async def _account(self, column: str, value: object) -> Account | None:
        columns = "name, player, created_at, revoked_at, change"
        sql = f"SELECT {columns} FROM accounts WHERE {column} = ? AND revoked_at IS NULL"
        rows = await self._read(sql, value)
        return Account(*rows[0]) if rows else None

    # -- nodes

    async def mark_alive(self, node: str, now: int, on_bus: bool = True) -> bool:
        await self._write("INSERT OR REPLACE INTO nodes (node, alive_at, on_bus) VALUES (?,?,?)", node, now, on_bus)
        return True

    async def mark_dead(self, node: str) -> None:
        await self._write(f"{queries.MARK_DEAD}?", node)

    async def has_living_node(self, since: int, until: int) -> bool:
        return bool(await self._read("SELECT 1 FROM nodes WHERE alive_at BETWEEN ? AND ? LIMIT 1", since, until))

    async def last_alive(self) -> int | None:
        rows = await self._read(queries.LAST_ALIVE)
        at: int | None = rows[0][0]
        return at

    async def add_downtime(self, downtime: Downtime, turn_lag_ms: int, latest: int) -> None:
        await self._write("INSERT INTO downtimes (began, ended) VALUES (?,?) ON CONFLICT DO NOTHING", *downtime)
        postpone = queries.postpone_running("?", "min", "max")
        await self._write(postpone, downtime.began, downtime.ended - turn_lag_ms, latest)

    async def downtimes(self) -> list[Downtime]:
        return [Downtime(*row) for row in await self._read(queries.DOWNTIMES)]

    async def move_times(self, ms: int, now: int) -> None:
        await self._write("UPDATE sessions SET seen_at = min(seen_at + ?1, ?2)", ms, now)
        await self._write("UPDATE nodes SET alive_at = 0 WHERE alive_at > ?", now)
        await self._write("DELETE FROM downtimes WHERE ended > ?", now)

    # -- retention

    async def _select(self, sql: str, *values: Any) -> list[Any]:
        return await self._in_reader(partial(fetch, sql, values), None)

    async def _change(self, sql: str, *values: Any) -> int:
        return await self._write(sql, *values)

    async def _change_together(self, statements: Statements) -> None:
        assert self._writer is not None
        await self._writer.execute(*((sql, tuple(values)) for sql, values in statements))

    async def prepare_log(self, months: Sequence[str]) -> None:
        """Do nothing: the log has no partitions."""

    async def drop_month(self, month: str, rooms: int) -> bool:
        return False

    async def sizes(self) -> tuple[dict[str, int], dict[str, int]]:
        rows = {table: (await self._select(f"SELECT count(*) FROM {table}"))[0][0] for table in COUNTED_TABLES}
        return rows, file_sizes(self.path)

    # -- a file has a single node: connected players are kept in memory

    def lock(self, what: str, wait_s: float = LOCK_TIMEOUT_S) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def time(self) -> int | None:
        return None

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        for player, name in people:
            await self.claim_name(node, player, name)

    async def claim_name(self, node: str, player: str, name: str) -> bool:
        return self._names.setdefault(fold(name), player) == player

    async def player_named(self, name: str) -> str:
        account = await self.account_named(name)
        return self._names.get(fold(name), "") if account is None else account.player

    async def mark_absent(self, node: str, player: str, name: str) -> None:
        if self._names.get(fold(name)) == player:
            del self._names[fold(name)]

    async def forget_present(self) -> None:
        await self._write("DELETE FROM present")

    async def lost_players(self, before: int) -> list[LostPlayer]:
        return []

    async def remove_dead_nodes(self, before: int) -> None:
        """Do nothing: there is only one node."""

    async def seen_at(self, player: str, node: str) -> int | None:
        return None  # there is only one node

    async def living_nodes(self, since: int) -> dict[str, bool]:
        rows = await self._read("SELECT node, on_bus FROM nodes WHERE alive_at >= ?", since)
        return {node: bool(on_bus) for node, on_bus in rows}


# in one statement, so that a session which a new token ends is not read with the change that ended it
SESSION = """
    SELECT player, name, account, seen_at, coalesce(
        (SELECT change FROM accounts WHERE accounts.player = sessions.player AND revoked_at IS NULL), 0)
    FROM sessions WHERE secret = ?
"""


def read_session(secret: str, reader: sqlite3.Connection) -> ReturningPlayer | None:
    row = reader.execute(SESSION, (digest(secret),)).fetchone()
    if row is None:
        return None
    *names, saved_at, account_change = row
    session = Session(*names)
    name = fold(session.name)
    owner = reader.execute("SELECT player FROM accounts WHERE folded = ? AND revoked_at IS NULL", (name,)).fetchone()
    rooms = read_rooms(session.player, name, reader)
    return ReturningPlayer(session, saved_at, owner[0] if owner else None, rooms, account_change)


def read_rooms(player: str, folded_name: str, reader: sqlite3.Connection) -> PlayerRooms:
    seated = [room for (room,) in reader.execute(ROOMS_OF, (player,))]
    waiting = [room for (room,) in reader.execute(ROOMS_WAITING_FOR, (folded_name,))]
    return PlayerRooms(seated, waiting)


def deny_foreign_code(
    action: int, first: str | None, second: str | None, database: str | None, trigger_or_view: str | None
) -> int:
    """Refuse to prepare a statement that runs a trigger or a view: none is ours. An authorizer of SQLite.

    For SQLite, a table of WITH is a view too: our statements have none.
    """
    return sqlite3.SQLITE_OK if trigger_or_view is None else sqlite3.SQLITE_DENY
