"""Rows for the tests of stores."""

from __future__ import annotations

from server.domain.ratings import RatingRow
from server.storage.interface import RoomRow


def row(room: str, status: str = "running", **changes: object) -> RoomRow:
    default = RoomRow(room, "conga", status, "*", False, ("p1", "p2"), ("ann", "ben"), None, 5, room.encode())
    return default._replace(**changes)  # type: ignore[arg-type]


def rating(player: str, games: int, value: float = 1500.0, **changes: object) -> RatingRow:
    return RatingRow("conga", player, games, value, 60.0, 0.06, 5, "r")._replace(**changes)  # type: ignore[arg-type]
