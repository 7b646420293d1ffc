"""Ten strengths of one search. What makes the difference is how many positions it may look at, and on the lower steps
how often it does not look at all. Neither depends on the machine or on how a game's estimate is tuned, so a level
stays what it is; bench/ladder.py plays neighbours against each other.
"""

from __future__ import annotations

from typing import NamedTuple


class Level(NamedTuple):
    """`careless`: the share of moves made at random. `nodes`: positions to look at; None is all the time allows."""

    careless: float
    nodes: int | None


LEVELS: dict[int, Level] = {
    1: Level(0.80, 40),
    2: Level(0.55, 40),
    3: Level(0.38, 60),
    4: Level(0.25, 100),
    5: Level(0.15, 150),
    6: Level(0.08, 800),
    7: Level(0.03, 4_000),
    8: Level(0.01, 30_000),
    9: Level(0.00, 300_000),
    10: Level(0.00, None),
}
PLAIN_NODES = 1_000  # so few are looked at sooner than compiled code is loaded
