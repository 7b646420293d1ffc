"""The values that bots gave to positions, ply by ply, and a small graph of them."""

from __future__ import annotations

from collections.abc import Sequence

from client.sdk.note import parse_note
from protocol.types import PlayedMove

BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " ....:::#"


def values(moves: Sequence[PlayedMove]) -> list[float | None]:
    """Return the value of each move from the point of view of the first side; None if its note has no value."""
    out: list[float | None] = []
    for played in moves:
        value = parse_note(played.note).value if played.note else None
        out.append(None if value is None else value if played.side == 0 else -value)
    return out


def graph(series: Sequence[float | None], width: int, height: int, ascii_only: bool = False) -> list[str]:
    """Draw the latest values as columns. Half height means equal; higher columns favour the first side."""
    shown = fill_gaps(series)[-width:] if width > 0 else []
    known = [abs(value) for value in shown if value is not None]
    scale = max([1.0, *known])  # differences below one point stay small
    bars = ASCII_BARS if ascii_only else BARS
    steps = height * 8
    levels = [None if value is None else round((value / scale + 1) / 2 * steps) for value in shown]
    lines = []
    for line in range(height - 1, -1, -1):
        lines.append("".join(" " if level is None else bar(bars, level - 8 * line) for level in levels))
    return lines


def fill_gaps(series: Sequence[float | None]) -> list[float | None]:
    """Replace each missing value by the one before it."""
    out: list[float | None] = []
    for value in series:
        out.append(out[-1] if value is None and out else value)
    return out


def bar(bars: str, level: int) -> str:
    return bars[min(max(level, 0), 8)]


def latest(series: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(series) if value is not None), None)
