"""Sessions, accounts and nodes in PostgreSQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from protocol.usernames import fold
from server.domain.downtime import Downtime
from server.storage import queries
from server.storage.interface import Account, AccountChange, LostPlayer, PlayerRooms, ReturningPlayer, Session, digest

ACCOUNTS_LOCK = "accounts"  # changes are numbered in the order of their transactions
# the columns of PlayerRooms, for the player $1 with the folded name $2
ROOMS_FOR = """
    ARRAY(SELECT room FROM rooms WHERE status <> 'ended' AND (player0 = $1 OR player1 = $1) ORDER BY room),
    ARRAY(SELECT room FROM rooms WHERE status = 'waiting' AND (name0 = $2 OR name1 = $2) ORDER BY room)
"""


class Accounts(ABC):
    """The part of the store that is not about rooms."""

    @abstractmethod
    async def _fetch(self, sql: str, *values: Any, lock: str = "") -> list[Any]: ...

    # -- sessions and accounts

    async def save_session(self, secret: str, session: Session, now: int, account_change: int = 0) -> bool:
        # The row of the account is locked: a rotation waits for this session and deletes it, or comes before it.
        sql = """
            WITH unchanged AS (
                SELECT 1 FROM accounts WHERE player = $2 AND revoked_at IS NULL AND change = $6 FOR SHARE
            )
            INSERT INTO sessions (secret, player, name, account, seen_at)
            SELECT $1::bytea, $2, $3, $4, $5::bigint
            WHERE $4 = '' OR EXISTS (SELECT 1 FROM unchanged)
            ON CONFLICT (secret) DO UPDATE SET player = $2, name = $3, account = $4, seen_at = $5 RETURNING 1
        """
        return bool(await self._fetch(sql, digest(secret), *session, now, account_change))

    async def load_session(self, secret: str) -> ReturningPlayer | None:
        sql = """
            SELECT player, name, account, seen_at, coalesce(
                (SELECT change FROM accounts WHERE accounts.player = sessions.player AND revoked_at IS NULL), 0)
            FROM sessions WHERE secret = $1
        """
        rows = await self._fetch(sql, digest(secret))
        if not rows:
            return None
        *names, saved_at, account_change = rows[0]
        session = Session(*names)
        sql = f"SELECT (SELECT player FROM accounts WHERE folded = $2 AND revoked_at IS NULL), {ROOMS_FOR}"
        rows = await self._fetch(sql, session.player, fold(session.name))
        owner, *rooms = rows[0]
        return ReturningPlayer(session, saved_at, owner, PlayerRooms(*rooms), account_change)

    async def add_account(self, name: str, player: str, token: str, now: int) -> bool:
        sql = """
            INSERT INTO accounts (token, name, player, created_at, folded, change)
            SELECT $1, $2, $3, $4, $5, coalesce(max(change), 0) + 1 FROM accounts
            ON CONFLICT (folded) WHERE revoked_at IS NULL DO NOTHING RETURNING 1
        """
        return bool(await self._fetch(sql, digest(token), name, player, now, fold(name), lock=ACCOUNTS_LOCK))

    async def revoke_account(self, name: str, now: int) -> bool:
        sql = """
            UPDATE accounts SET revoked_at = $2, change = (SELECT max(change) + 1 FROM accounts)
            WHERE folded = $1 AND revoked_at IS NULL RETURNING 1
        """
        return bool(await self._fetch(sql, fold(name), now, lock=ACCOUNTS_LOCK))

    async def rotate_account(self, name: str, token: str) -> bool:
        sql = """
            UPDATE accounts SET token = $2, change = (SELECT max(change) + 1 FROM accounts)
            WHERE folded = $1 AND revoked_at IS NULL RETURNING player
        """
        rows = await self._fetch(sql, fold(name), digest(token), lock=ACCOUNTS_LOCK)
        for (player,) in rows:  # a statement of its own also sees the sessions that the update waited for
            await self._fetch("DELETE FROM sessions WHERE player = $1", player)
        return bool(rows)

    async def accounts(self) -> list[Account]:
        sql = "SELECT name, player, created_at, revoked_at FROM accounts ORDER BY created_at"
        return [Account(*row) for row in await self._fetch(sql)]

    async def account_changes(self, after: int) -> list[AccountChange]:
        sql = """
            SELECT change, name, player, created_at, revoked_at FROM accounts WHERE change > $1 ORDER BY change
        """
        return [AccountChange(change, Account(*account)) for change, *account in await self._fetch(sql, after)]

    async def last_account_change(self) -> int:
        rows = await self._fetch("SELECT coalesce(max(change), 0) FROM accounts")
        return int(rows[0][0])

    async def account_of_token(self, token: str) -> Account | None:
        return await self._account("token = $1", digest(token))

    async def account_named(self, name: str) -> Account | None:
        return await self._account("folded = $1", fold(name))

    async def _account(self, which: str, value: object) -> Account | None:
        columns = "name, player, created_at, revoked_at, change"
        sql = f"SELECT {columns} FROM accounts WHERE {which} AND revoked_at IS NULL"
        rows = await self._fetch(sql, value)
        return Account(*rows[0]) if rows else None

    # -- nodes, and the players connected to them

    async def mark_alive(self, node: str, now: int, on_bus: bool = True) -> bool:
        sql = """
            INSERT INTO nodes (node, alive_at, on_bus) VALUES ($1, $2, $3)
            ON CONFLICT (node) DO UPDATE SET alive_at = $2, on_bus = $3 RETURNING xmax <> 0
        """
        rows = await self._fetch(sql, node, now, on_bus)
        return bool(rows[0][0])

    async def mark_dead(self, node: str) -> None:
        await self._fetch(f"{queries.MARK_DEAD}$1", node)

    async def has_living_node(self, since: int, until: int) -> bool:
        return bool(await self._fetch("SELECT 1 FROM nodes WHERE alive_at BETWEEN $1 AND $2 LIMIT 1", since, until))

    async def last_alive(self) -> int | None:
        rows = await self._fetch(queries.LAST_ALIVE)
        at: int | None = rows[0][0]
        return at

    async def add_downtime(self, downtime: Downtime, turn_lag_ms: int, latest: int) -> None:
        await self._fetch("INSERT INTO downtimes (began, ended) VALUES ($1, $2) ON CONFLICT DO NOTHING", *downtime)
        postpone = queries.postpone_running("$", "least", "greatest")
        await self._fetch(postpone, downtime.began, downtime.ended - turn_lag_ms, latest)

    async def downtimes(self) -> list[Downtime]:
        return [Downtime(*row) for row in await self._fetch(queries.DOWNTIMES)]

    async def move_times(self, ms: int, now: int) -> None:
        await self._fetch("UPDATE sessions SET seen_at = least(seen_at + $1, $2)", ms, now)
        await self._fetch("UPDATE nodes SET alive_at = 0 WHERE alive_at > $1", now)
        await self._fetch("DELETE FROM downtimes WHERE ended > $1", now)

    async def mark_present(self, node: str, people: list[tuple[str, str]]) -> None:
        sql = """
            INSERT INTO present (node, player, name) SELECT $1, * FROM unnest($2::text[], $3::text[])
            ON CONFLICT DO NOTHING
        """
        await self._fetch(sql, node, [player for player, _ in people], [fold(name) for _, name in people])

    async def claim_name(self, node: str, player: str, name: str) -> bool:
        sql = """
            INSERT INTO present (node, player, name) SELECT $1, $2::text, $3::text
            WHERE NOT EXISTS (SELECT 1 FROM present WHERE name = $3 AND player <> $2)
            ON CONFLICT (node, player, name) DO UPDATE SET name = excluded.name RETURNING 1
        """
        return bool(await self._fetch(sql, node, player, fold(name), lock=f"name {fold(name)}"))

    async def player_named(self, name: str) -> str:
        sql = """
            SELECT player FROM accounts WHERE folded = $1 AND revoked_at IS NULL
            UNION ALL SELECT player FROM present WHERE name = $1 LIMIT 1
        """
        rows = await self._fetch(sql, fold(name))
        return str(rows[0][0]) if rows else ""

    async def mark_absent(self, node: str, player: str, name: str) -> None:
        sql = "DELETE FROM present WHERE node = $1 AND player = $2 AND name = $3"
        await self._fetch(sql, node, player, fold(name))

    async def lost_players(self, before: int) -> list[LostPlayer]:
        sql = """
            SELECT player, max(abs(alive_at)) FROM present JOIN nodes USING (node)
            WHERE alive_at < $1 AND NOT EXISTS (
                SELECT 1 FROM present AS other JOIN nodes AS living USING (node)
                WHERE other.player = present.player AND living.alive_at >= $1)
            GROUP BY player
        """
        return [LostPlayer(*row) for row in await self._fetch(sql, before)]

    async def remove_dead_nodes(self, before: int) -> None:
        sql = """
            WITH dead AS (DELETE FROM nodes WHERE alive_at < $1 RETURNING node)
            DELETE FROM present USING dead WHERE present.node = dead.node
        """
        await self._fetch(sql, before)

    async def seen_at(self, player: str, node: str) -> int | None:
        sql = """
            SELECT max(abs(alive_at)) FROM nodes JOIN present USING (node) WHERE player = $1 AND node <> $2
        """
        rows = await self._fetch(sql, player, node)
        at: int | None = rows[0][0]
        return at

    async def living_nodes(self, since: int) -> dict[str, bool]:
        rows = await self._fetch("SELECT node, on_bus FROM nodes WHERE alive_at >= $1", since)
        return dict(rows)
