"""Many appends as one statement: atomic, one round trip, one flush of the disk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from server.domain.ratings import RatingRow
from server.storage.interface import Append, RoomRow
from server.storage.postgres.ratings import put_ratings

# Rows are sorted by room, so that two nodes take their locks in the same order and never wait for each other in a ring.
WRITE_EVENTS = "INSERT INTO events (room, seq, payload) SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[])"
COLUMNS = "room, game, status, result, private, player0, player1, name0, name1, deadline, changed_at, info"
TYPES = ("text", "text", "text", "text", "boolean", "text", "text", "text", "text", "bigint", "bigint", "bytea")
WRITE_BOTH = f"""
    WITH log AS ({WRITE_EVENTS})
    INSERT INTO rooms ({COLUMNS}) SELECT * FROM unnest({", ".join(f"${n}::{t}[]" for n, t in enumerate(TYPES, 4))})
    ON CONFLICT (room) DO UPDATE SET {", ".join(f"{c} = excluded.{c}" for c in COLUMNS.split(", ")[1:])}
"""
FIND = """
    SELECT payload FROM unnest($1::text[], $2::bigint[]) AS wanted (room, seq) LEFT JOIN events USING (room, seq)
    ORDER BY room, seq
"""


class Batch:
    """The rows of appends that go together."""

    def __init__(self, appends: Iterable[Append]) -> None:
        events: list[tuple[str, int, bytes]] = []
        lines: dict[str, RoomRow] = {}
        ratings: list[RatingRow] = []
        for work in appends:
            for append in (work,) if work.also is None else (work, work.also):
                events += [(append.room, seq, payload) for seq, payload in enumerate(append.payloads, append.after + 1)]
                if append.row is not None:
                    lines[append.room] = append.row
                ratings += append.ratings
        events.sort(key=lambda event: event[:2])
        self.events = events
        self.lines = [lines[room] for room in sorted(lines)]
        self.ratings = sorted(ratings)

    async def write(self, connection: Any) -> None:
        if not self.ratings:
            await self._write_rooms(connection)
            return
        async with connection.transaction():
            await self._write_rooms(connection)
            await put_ratings(connection, self.ratings)

    async def _write_rooms(self, connection: Any) -> None:
        columns: list[list[Any]] = [[event[n] for event in self.events] for n in range(3)]
        if not self.lines:
            await connection.execute(WRITE_EVENTS, *columns)
            return
        rows = [room_values(line) for line in self.lines]
        await connection.execute(WRITE_BOTH, *columns, *([row[n] for row in rows] for n in range(len(TYPES))))

    async def is_there(self, connection: Any) -> bool:
        """After a connection broke: whether these very events have been written."""
        rows = await connection.fetch(FIND, [event[0] for event in self.events], [event[1] for event in self.events])
        return [row[0] for row in rows] == [event[2] for event in self.events]


def room_values(row: RoomRow) -> tuple[Any, ...]:
    return (
        row.room, row.game, row.status, row.result, row.private, *row.players, *row.names,
        row.deadline, row.changed_at, row.info,
    )  # fmt: skip
