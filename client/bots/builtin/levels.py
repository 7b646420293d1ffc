"""Ten strengths of the search.

A level limits the positions searched and makes a share of the moves at random. Neither depends on the machine or on
the evaluation of a game, so the strength of a level is stable. bench/ladder.py plays adjacent levels.
"""

from __future__ import annotations

from typing import NamedTuple


class Level(NamedTuple):
    """`random_share`: share of moves made at random. `nodes`: positions to search; None: as many as time allows."""

    random_share: float
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
DEFAULT_TABLE_MB = 48
MAX_PLAIN_NODES = 1_000  # plain Python searches this many nodes in less time than compiled code takes to load
