"""Many appends as one statement: atomic, one round trip, one disk flush."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.domain.ratings import RatingRow
from server.storage.interface import Append, RoomRow
from server.storage.postgres.ratings import insert_ratings

# Rows are sorted by room: all nodes take locks in the same order, so they cannot deadlock.
INSERT_EVENTS = "INSERT INTO events (room, seq, payload) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])"
ROOM_COLUMNS = "room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info"
ROOM_TYPES = ("text", "text", "text", "text", "boolean", "text", "text", "text", "text", "bigint", "bigint", "bytea")
INSERT_EVENTS_AND_ROOMS = f"""
    WITH log AS ({INSERT_EVENTS})
    INSERT INTO rooms ({ROOM_COLUMNS})
    SELECT * FROM unnest({", ".join(f"${n}::{t}[]" for n, t in enumerate(ROOM_TYPES, 4))})
    ON CONFLICT (room) DO UPDATE SET {", ".join(f"{c} = excluded.{c}" for c in ROOM_COLUMNS.split(", ")[1:])}
"""
SELECT_PAYLOADS = """
    SELECT payload FROM unnest($1::text[], $2::bigint[]) AS wanted (room, seq) LEFT JOIN events USING (room, seq)
    ORDER BY room, seq
"""


class Batch:
    """The rows of appends that are written in one transaction."""

    def __init__(self, appends: Iterable[Append]) -> None:
        events: list[tuple[str, int, bytes]] = []
        rooms: dict[str, RoomRow] = {}
        ratings: list[RatingRow] = []
        for work in appends:
            for append in (work,) if work.also is None else (work, work.also):
                events += [(append.room, seq, payload) for seq, payload in enumerate(append.payloads, append.after + 1)]
                if append.row is not None:
                    rooms[append.room] = append.row
                ratings += append.ratings
        events.sort(key=lambda event: event[:2])
        self.events = events
        self.rooms = [rooms[room] for room in sorted(rooms)]
        self.ratings = sorted(ratings)

    async def write(self, connection: Any) -> None:
        """Write all rows. Raises an error of asyncpg."""
        if not self.ratings:
            await self._write_rooms(connection)
            return
        async with connection.transaction():
            await self._write_rooms(connection)
            await insert_ratings(connection, self.ratings)

    async def _write_rooms(self, connection: Any) -> None:
        columns: list[list[Any]] = [[event[n] for event in self.events] for n in range(3)]
        if not self.rooms:
            await connection.execute(INSERT_EVENTS, *columns)
            return
        rows = [room_values(row) for row in self.rooms]
        await connection.execute(
            INSERT_EVENTS_AND_ROOMS, *columns, *([row[n] for row in rows] for n in range(len(ROOM_TYPES)))
        )

    async def is_written(self, connection: Any) -> bool:
        """Return whether exactly these events are stored: the connection broke before the answer."""
        rows = await connection.fetch(
            SELECT_PAYLOADS, [event[0] for event in self.events], [event[1] for event in self.events]
        )
        return [row[0] for row in rows] == [event[2] for event in self.events]


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip
