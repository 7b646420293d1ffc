"""Ratings in SQLite: the log of all ratings, and the latest of each player for leaderboards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from server.domain.glicko2 import GLICKO2_SCALE, PERIOD_MS, PROVISIONAL_DEVIATION
from server.domain.ratings import RatingRow

COLUMNS = ", ".join(RatingRow._fields)
VALUES = ",".join("?" * len(RatingRow._fields))
INSERT_RATING = f"INSERT INTO ratings ({COLUMNS}) VALUES ({VALUES})"
REPLACE_STANDING = f"INSERT OR REPLACE INTO standings ({COLUMNS}) VALUES ({VALUES})"
LEADERS = f"""
    SELECT accounts.name, {", ".join(f"standings.{name}" for name in RatingRow._fields)}
    FROM standings JOIN accounts ON accounts.player = standings.player AND accounts.revoked_at IS NULL
    WHERE profile = ?
    ORDER BY deviation * deviation + volatility * volatility * ? * max(0, ? - at) > ?, rating DESC, accounts.folded
    LIMIT ?
"""


class Ratings(ABC):
    """The part of the store that reads ratings."""

    @abstractmethod
    async def _read(self, sql: str, *values: Any) -> list[Any]: ...

    async def ratings(self, profile: str, players: list[str]) -> dict[str, RatingRow]:
        marks = ",".join("?" * len(players))
        sql = f"SELECT {COLUMNS} FROM standings WHERE profile = ? AND player IN ({marks})"
        rows = [RatingRow(*row) for row in await self._read(sql, profile, *players)]
        return {row.player: row for row in rows}

    async def leaders(self, profile: str, now: int, limit: int) -> list[tuple[str, RatingRow]]:
        rows = await self._read(
            LEADERS,
            profile,
            GLICKO2_SCALE * GLICKO2_SCALE / PERIOD_MS,
            now,
            PROVISIONAL_DEVIATION * PROVISIONAL_DEVIATION,
            limit,
        )
        return [(name, RatingRow(*row)) for name, *row in rows]

    async def rating_history(self, profile: str, player: str, before: int | None, limit: int) -> list[RatingRow]:
        sql = (
            f"SELECT {COLUMNS} FROM ratings WHERE profile = ? AND player = ? AND games < ? ORDER BY games DESC LIMIT ?"
        )
        rows = await self._read(sql, profile, player, 2**62 if before is None else before, limit)
        return [RatingRow(*row) for row in rows]
