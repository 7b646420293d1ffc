"""What the bots thought of the game, ply by ply, and a small graph of it."""

from __future__ import annotations

from collections.abc import Sequence

from client.sdk.note import parse_note
from protocol.types import PlayedMove

BARS = " ▁▂▃▄▅▆▇█"
ASCII_BARS = " ....:::#"


def values(moves: Sequence[PlayedMove]) -> list[float | None]:
    """For the side that moves first, whoever said it; None where nobody did."""
    out: list[float | None] = []
    for played in moves:
        value = parse_note(played.note).value if played.note else None
        out.append(None if value is None else value if played.side == 0 else -value)
    return out


def graph(series: Sequence[float | None], width: int, height: int, ascii_only: bool = False) -> list[str]:
    """The latest values as columns: the middle is even, what is above it is good for the first side."""
    shown = known_so_far(series)[-width:] if width > 0 else []
    known = [abs(value) for value in shown if value is not None]
    scale = max([1.0, *known])  # what is less than a point is nearly even
    bars = ASCII_BARS if ascii_only else BARS
    steps = height * 8
    levels = [None if value is None else round((value / scale + 1) / 2 * steps) for value in shown]
    lines = []
    for line in range(height - 1, -1, -1):
        lines.append("".join(" " if level is None else bar(bars, level - 8 * line) for level in levels))
    return lines


def known_so_far(series: Sequence[float | None]) -> list[float | None]:
    """A move that nobody has valued leaves the value as it was."""
    out: list[float | None] = []
    for value in series:
        out.append(out[-1] if value is None and out else value)
    return out


def bar(bars: str, level: int) -> str:
    return bars[min(max(level, 0), 8)]


def latest(series: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(series) if value is not None), None)
