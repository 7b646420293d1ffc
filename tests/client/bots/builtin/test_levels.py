from __future__ import annotations

from itertools import pairwise

from client.bots.builtin.levels import LEVELS


def test_each_level_searches_more_and_moves_less_at_random() -> None:
    """Check the numbers only: bench/ladder.py plays the games."""
    levels = [LEVELS[number] for number in range(1, 11)]
    for low, high in pairwise(levels):
        assert high.random_share < low.random_share
        assert high.nodes is None or (low.nodes is not None and low.nodes <= high.nodes)
    assert levels[-1] == (0, None)
