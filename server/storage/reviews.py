"""Reviews of finished games, and the queue of requests for them. Both stores share this SQL.

A request is a row without a review. A reviewer takes the oldest one for a limited time, so that another reviewer gets
it if that one is lost.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

from server.storage.tables import Tables

WAITING = "review IS NULL"


class ReviewRow(NamedTuple):
    """A request for a review. `review` is the message with the result, None as long as it waits."""

    asked_at: int
    taken_until: int  # 0 while no reviewer has it
    attempts: int
    review: bytes | None


class Reviews(Tables):
    """The part of a store that keeps reviews."""

    @abstractmethod
    async def _change(self, sql: str, *values: Any) -> int: ...

    async def review(self, room: str) -> ReviewRow | None:
        """Return the review of a room, or the request for it."""
        sql = f"SELECT asked_at, taken_until, attempts, review FROM reviews WHERE room = {self.mark}1"
        rows = await self._select(sql, room)
        return ReviewRow(*rows[0]) if rows else None

    async def request_review(self, room: str, player: str, now: int, limit: int) -> bool:
        """Queue a request. Return False if `limit` of them wait. An earlier request for the room stays as it is."""
        mark = self.mark
        sql = f"""
            INSERT INTO reviews (room, asked_by, asked_at, taken_until, attempts)
            SELECT CAST({mark}1 AS text), CAST({mark}2 AS text), CAST({mark}3 AS bigint), 0, 0
            WHERE (SELECT count(*) FROM reviews WHERE {WAITING}) < CAST({mark}4 AS bigint)
            ON CONFLICT (room) DO NOTHING
        """
        return bool(await self._change(sql, room, player, now, limit)) or await self.review(room) is not None

    async def last_review_request(self, player: str) -> int:
        """Return when a player last asked for a new review, or 0."""
        sql = f"SELECT coalesce(max(asked_at), 0) FROM reviews WHERE asked_by = {self.mark}1"
        return int((await self._select(sql, player))[0][0])

    async def count_reviews_before(self, asked_at: int) -> int:
        """Return the number of requests that wait and are older."""
        sql = f"SELECT count(*) FROM reviews WHERE {WAITING} AND asked_at < {self.mark}1"
        return int((await self._select(sql, asked_at))[0][0])

    async def take_review(self, now: int, until: int) -> tuple[str, int] | None:
        """Take the oldest request that no reviewer has. Return its room, and how many times it has been taken."""
        mark = self.mark
        free = f"{WAITING} AND taken_until < {mark}"
        oldest = f"SELECT room, attempts FROM reviews WHERE {free}1 ORDER BY asked_at, room LIMIT 1"
        taken = f"UPDATE reviews SET taken_until = {mark}1, attempts = attempts + 1 WHERE room = {mark}2 AND {free}3"
        while rows := await self._select(oldest, now):
            room, attempts = rows[0]
            if await self._change(taken, until, room, now):  # otherwise another node was faster
                return room, attempts + 1
        return None

    async def keep_review(self, room: str, until: int) -> bool:
        """Extend the time for which a request is taken. Return False if it no longer waits."""
        sql = f"UPDATE reviews SET taken_until = {self.mark}1 WHERE room = {self.mark}2 AND {WAITING}"
        return bool(await self._change(sql, until, room))

    async def release_review(self, room: str, attempts: int) -> None:
        """Let another reviewer take a request."""
        mark = self.mark
        sql = f"UPDATE reviews SET taken_until = 0, attempts = {mark}1 WHERE room = {mark}2 AND {WAITING}"
        await self._change(sql, attempts, room)

    async def release_reviews(self) -> None:
        """Release all requests that were taken: no reviewer is connected yet."""
        await self._change(f"UPDATE reviews SET taken_until = 0 WHERE {WAITING} AND taken_until > {self.mark}1", 0)

    async def save_review(self, room: str, review: bytes) -> bool:
        """Store a review. Return False if the request no longer waits."""
        sql = f"UPDATE reviews SET review = {self.mark}1 WHERE room = {self.mark}2 AND {WAITING}"
        return bool(await self._change(sql, review, room))

    async def drop_review(self, room: str) -> None:
        """Delete a request that cannot be met."""
        await self._change(f"DELETE FROM reviews WHERE room = {self.mark}1 AND {WAITING}", room)
