"""Rows for tests of stores."""

from __future__ import annotations

from server.store import RoomRow


def row(room: str, status: str = "running", **changes: object) -> RoomRow:
    line = RoomRow(room, "conga", status, "*", False, ("p1", "p2"), ("Ann", "ben"), None, 5, room.encode())
    return line._replace(**changes)  # type: ignore[arg-type]
