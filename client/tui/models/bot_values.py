"""The values that bots gave to positions, ply by ply."""

from __future__ import annotations

from collections.abc import Sequence

from client.sdk.note import parse_note
from protocol.types import PlayedMove


def values(moves: Sequence[PlayedMove]) -> list[float | None]:
    """Return the value of each move from the point of view of the first side; None if its note has no value."""
    out: list[float | None] = []
    for played in moves:
        value = parse_note(played.note).value if played.note else None
        out.append(None if value is None else value if played.side == 0 else -value)
    return out


def fill_gaps(series: Sequence[float | None]) -> list[float | None]:
    """Replace each missing value by the one before it."""
    out: list[float | None] = []
    for value in series:
        out.append(out[-1] if value is None and out else value)
    return out


def latest(series: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(series) if value is not None), None)
