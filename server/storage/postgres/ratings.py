"""Ratings in PostgreSQL: the log of all ratings, and the latest of each player for leaderboards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from server.domain.glicko2 import GLICKO2_SCALE, PERIOD_MS, PROVISIONAL_DEVIATION
from server.domain.ratings import RatingRow

NAMES = RatingRow._fields
COLUMNS = ", ".join(NAMES)
TYPES = ("text", "text", "bigint", *["double precision"] * 3, "bigint", "text")
# Runs before UPSERT_STANDING: the second of two nodes fails here and does not overwrite the standing of the first.
INSERT_RATINGS = f"""
    INSERT INTO ratings ({COLUMNS}) SELECT * FROM unnest({", ".join(f"${n}::{t}[]" for n, t in enumerate(TYPES, 1))})
"""
UPSERT_STANDING = f"""
    INSERT INTO standings ({COLUMNS}) VALUES ({", ".join(f"${n}" for n in range(1, len(NAMES) + 1))})
    ON CONFLICT (profile, player) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in NAMES[2:])}
"""
LEADERS = f"""
    SELECT accounts.name, {", ".join(f"standings.{name}" for name in NAMES)}
    FROM standings JOIN accounts ON accounts.player = standings.player AND accounts.revoked_at IS NULL
    WHERE profile = $1
    ORDER BY deviation * deviation + volatility * volatility * $2 * greatest(0, $3::bigint - at) > $4,
      rating DESC, accounts.folded
    LIMIT $5
"""


async def insert_ratings(connection: Any, rows: Sequence[RatingRow]) -> None:
    """Store ratings. `rows` must be sorted, so that all nodes take locks in the same order."""
    await connection.execute(INSERT_RATINGS, *([row[n] for row in rows] for n in range(len(NAMES))))
    await connection.executemany(UPSERT_STANDING, rows)


class Ratings(ABC):
    """The part of the store that reads ratings."""

    @abstractmethod
    async def _fetch(self, sql: str, *values: Any) -> list[Any]: ...

    @abstractmethod
    async def _search(self, sql: str, *values: Any) -> list[Any]: ...

    async def ratings(self, profile: str, players: list[str]) -> dict[str, RatingRow]:
        sql = f"SELECT {COLUMNS} FROM standings WHERE profile = $1 AND player = ANY($2::text[])"
        rows = [RatingRow(*row) for row in await self._fetch(sql, profile, players)]
        return {row.player: row for row in rows}

    async def leaders(self, profile: str, now: int, limit: int) -> list[tuple[str, RatingRow]]:
        rows = await self._search(
            LEADERS,
            profile,
            GLICKO2_SCALE * GLICKO2_SCALE / PERIOD_MS,
            now,
            PROVISIONAL_DEVIATION * PROVISIONAL_DEVIATION,
            limit,
        )
        return [(row[0], RatingRow(*row[1:])) for row in rows]

    async def rating_history(self, profile: str, player: str, before: int | None, limit: int) -> list[RatingRow]:
        sql = f"""
            SELECT {COLUMNS} FROM ratings WHERE profile = $1 AND player = $2 AND games < $3
            ORDER BY games DESC LIMIT $4
        """
        rows = await self._search(sql, profile, player, 2**62 if before is None else before, limit)
        return [RatingRow(*row) for row in rows]
