"""The benchmarks run and measure something."""

from __future__ import annotations

from itertools import pairwise

import pytest

from bench.bots import measure, percentile
from bench.ladder import OPTIONS, Tally, match
from client.bots.builtin.search import warm
from engine.registry import GAMES, create


async def test_the_cost_of_a_bot_can_be_measured() -> None:
    times = await measure(5)
    assert set(times) == {"flush", "bare", "thread", "exec"}
    assert all(len(values) >= 5 for values in times.values())
    assert all(min(values) >= 0 < sum(values) for values in times.values())  # in whole milliseconds: some are 0
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0


def test_levels_can_be_compared() -> None:
    tally = match(create("cohcoh", {"n": 4, "k": 3}), high=3, low=1, pairs=2, seconds=0.05, seed=1)
    assert len(tally.points) == 4
    assert Tally((1.0, 0.0, 0.5, 0.5)).score == Tally((1.0, 0.0, 0.5, 0.5)).sure == 0.5
    assert Tally((1.0, 1.0, 1.0, 0.5) * 10).sure > 0.99
    assert "10    10      0   0.75" in str(Tally((1.0, 0.5) * 10))


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_every_level_beats_the_one_below(name: str) -> None:
    """Levels 1 to 9: level 10 is limited only by time."""
    game = create(name, OPTIONS.get(name))
    warm([game])
    for low, high in pairwise(range(1, 10)):
        assert match(game, high, low, pairs=30, seconds=5, seed=7).score > 0.5, f"{high} v {low}"
