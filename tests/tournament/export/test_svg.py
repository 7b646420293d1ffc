"""The plot of the ratings."""

from __future__ import annotations

import re

from client.tournament.export.svg import plot, ticks


def test_plot_stays_within_frame() -> None:
    drawn = plot([(1, {"a": -800.0, "b": 0.0}), (2, {"a": 900.0, "b": 5.0})], ["a", "b"])
    for number in re.findall(r'c[xy]="([\d.-]+)"', drawn):
        assert 0 <= float(number) <= 720
    assert plot([], ["a"]) == ""
    assert ticks(-3, 3)
    assert all(-120 <= value <= 340 for value in ticks(-120, 340))
