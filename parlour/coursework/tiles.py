"""A Conga board as text: tiles with their counts, player 1 blue, player 2 red, empty tiles yellow."""

from __future__ import annotations

import os
from collections.abc import Sequence

BLUE, RED, YELLOW, PLAIN = "\x1b[94m", "\x1b[91m", "\x1b[93m", "\x1b[0m"
COLOURS = {-1: YELLOW, 0: BLUE, 1: RED}
MARKS = {-1: " ", 0: "b", 1: "w"}  # black moves first


def tiles(rows: Sequence[Sequence[tuple[int, int]]], colour: bool | None = None) -> str:
    """Return the board as text. A tile is an owner (0, 1, or -1 for none) and a count; rows start at the top.

    Without colour, a letter shows the owner. `colour` is on by default unless NO_COLOR is set (https://no-color.org).
    """
    if colour is None:
        colour = not os.environ.get("NO_COLOR")
    edge = "   +" + "-----+" * len(rows[0])
    lines = [edge]
    for y, row in zip(range(len(rows), 0, -1), rows, strict=True):
        lines += [f" {y} |" + "|".join(_face(owner, count, colour) for owner, count in row) + "|", edge]
    lines.append("   " + "".join(f"{x:^6}" for x in range(1, len(rows[0]) + 1)).rstrip())
    return "\n".join(lines)


def _face(owner: int, count: int, colour: bool) -> str:
    if colour:
        return f"{COLOURS[owner]}{count:^5}{PLAIN}"
    return f"{MARKS[owner]}{count}".center(5)
