"""The estimates of positions that the search cannot prove."""

from __future__ import annotations

from itertools import pairwise

from engine.registry import create
from engine.search import Limits, Report, Thinker


def test_value_of_maxconnect4_depends_little_on_the_parity_of_the_depth() -> None:
    game, values = create("maxconnect4"), list[float]()

    def progress(report: Report) -> None:
        values.append(report.value)

    for plies in (0, 1):
        state = game.start()
        for _ in range(plies):
            state = game.play(state, 3)
        values.clear()
        Thinker(game, compiled=True).think(state, Limits(depth=9), progress=progress)
        assert len(values) == 9
        assert max(abs(one - other) for one, other in pairwise(values)) < 1
