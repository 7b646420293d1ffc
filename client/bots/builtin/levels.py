"""Ten strengths of one search. What makes the difference is how often it does not look at all but moves at random, and
how many positions it may look at. Neither depends on the machine or on how a game's estimate is tuned, so a level
stays what it is; bench/ladder.py plays neighbours against each other.
"""

from __future__ import annotations

from typing import NamedTuple


class Level(NamedTuple):
    """`careless`: the share of moves made at random. `nodes`: positions to look at; None is all the time allows."""

    careless: float
    nodes: int | None


LEVELS: dict[int, Level] = {
    1: Level(0.90, 100),
    2: Level(0.73, 100),
    3: Level(0.57, 100),
    4: Level(0.45, 200),
    5: Level(0.33, 200),
    6: Level(0.25, 800),
    7: Level(0.17, 3_200),
    8: Level(0.08, 3_200),
    9: Level(0.04, 12_800),
    10: Level(0.00, None),
}
PLAIN_NODES = 1_000  # so few are looked at sooner than compiled code is loaded
