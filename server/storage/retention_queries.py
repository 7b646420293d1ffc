"""Find and delete what retention does not keep, and measure the store. Both stores share this SQL."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from server.storage.tables import Tables

SAID_MARK = b"\xa4type\xa4said"  # how the payload of a chat line begins, after one byte
MAX_PLAYERS_PER_STATEMENT = 500
ABORTED = "status = 'ended' AND result = '*'"


class RetentionQueries(Tables):
    """The part of a store that retention uses."""

    @abstractmethod
    async def _change(self, sql: str, *values: Any) -> int: ...

    async def count_prunable(self, aborted_before: int, sessions_before: int) -> tuple[int, int]:
        """Return the number of rooms without a result that ended before a time, and of sessions renewed before one."""
        sql = f"""
            SELECT (SELECT count(*) FROM rooms WHERE {ABORTED} AND changed_at < {self.mark}1),
                   (SELECT count(*) FROM sessions WHERE seen_at < {self.mark}2)
        """
        [(rooms, sessions)] = await self._select(sql, aborted_before, sessions_before)
        return rooms, sessions

    async def aborted_rooms(self, before: int, limit: int) -> list[str]:
        """Return rooms that ended without a result before this time, the oldest first."""
        sql = f"SELECT room FROM rooms WHERE {ABORTED} AND changed_at < {self.mark}1 ORDER BY changed_at"
        return [row[0] for row in await self._select(f"{sql} LIMIT {self.mark}2", before, limit)]

    async def delete_rooms(self, rooms: list[str]) -> None:
        """Delete rooms with all that belongs to them. The index comes last: after a crash, the rest is found again."""
        which = f"room IN ({self._marks(len(rooms))})"
        await self._change(f"DELETE FROM events WHERE {which}", *rooms)
        await self._change(f"DELETE FROM reviews WHERE {which}", *rooms)
        await self._change(f"DELETE FROM rooms WHERE {which} AND {ABORTED}", *rooms)

    async def delete_sessions(self, before: int, limit: int) -> int:
        """Delete some sessions that were last renewed before this time. Return their number."""
        old = f"SELECT secret FROM sessions WHERE seen_at < {self.mark}1 LIMIT {self.mark}2"
        return await self._change(f"DELETE FROM sessions WHERE secret IN ({old})", before, limit)

    async def renew_sessions(self, players: list[str], now: int, before: int) -> None:
        """Renew the sessions of players who are connected, if they were last renewed before this time."""
        for at in range(0, len(players), MAX_PLAYERS_PER_STATEMENT):
            part = players[at : at + MAX_PLAYERS_PER_STATEMENT]
            mark = self.mark
            sql = f"UPDATE sessions SET seen_at = {mark}{len(part) + 1} WHERE seen_at < {mark}{len(part) + 2}"
            await self._change(f"{sql} AND player IN ({self._marks(len(part))})", *part, now, before)

    async def ended_rooms(self, after: tuple[int, str], before: int, limit: int) -> list[tuple[int, str]]:
        """Return time and id of rooms that ended before a time, in this order, from the one after `after` on."""
        mark = self.mark
        sql = f"""
            SELECT changed_at, room FROM rooms
            WHERE status = 'ended' AND room <> '' AND (changed_at, room) > ({mark}1, {mark}2) AND changed_at < {mark}3
            ORDER BY changed_at, room LIMIT {mark}4
        """
        return [(changed_at, room) for changed_at, room in await self._select(sql, *after, before, limit)]

    async def chat_of(self, rooms: list[str]) -> list[tuple[str, int, bytes]]:
        """Return room, seq and payload of the chat lines of rooms."""
        mark = f"{self.mark}{len(rooms) + 1}"
        sql = f"SELECT room, seq, payload FROM events WHERE room IN ({self._marks(len(rooms))})"
        rows = await self._select(f"{sql} AND substr(payload, 2, 10) = {mark}", *rooms, SAID_MARK)
        return [(room, seq, payload) for room, seq, payload in rows]

    async def replace_event(self, room: str, seq: int, payload: bytes) -> None:
        """Replace the payload of an event."""
        sql = f"UPDATE events SET payload = {self.mark}3 WHERE room = {self.mark}1 AND seq = {self.mark}2"
        await self._change(sql, room, seq, payload)

    async def retention_mark(self, task: str) -> tuple[int, str]:
        """Return the time and the room that a task of retention has noted, or 0 and an empty text."""
        rows = await self._select(f"SELECT at, room FROM retention WHERE task = {self.mark}1", task)
        return (rows[0][0], rows[0][1]) if rows else (0, "")

    async def set_retention_mark(self, task: str, at: int, room: str = "") -> None:
        """Note a time and a room for a task of retention."""
        sql = f"INSERT INTO retention (task, at, room) VALUES ({self._marks(3)})"
        await self._change(f"{sql} ON CONFLICT (task) DO UPDATE SET at = excluded.at, room = excluded.room",
                           task, at, room)  # fmt: skip
