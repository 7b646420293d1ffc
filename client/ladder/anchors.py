"""Anchors: house bots whose ratings are fixed, so that the ratings of a ladder mean the same tomorrow.

Measured with bench/anchors.py: 150 openings from both seats against each of the next two stronger bots. The 95 %
interval is about 30 Elo, and 70 for the upper levels of Conga. Level 10 is no anchor, because its strength depends on
the machine. Other options make another game, for which these numbers say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.options import OptionValue
from engine.registry import create

NAMES = ("random", *(f"search@{level}" for level in range(1, 10)))
MEASURED: dict[str, tuple[int, ...]] = {
    "conga": (970, 1000, 1137, 1341, 1651, 1947, 2283, 2643, 2994, 3195),
    "mancala": (934, 1000, 1110, 1199, 1291, 1382, 1464, 1573, 1690, 1776),
    "maxconnect4": (891, 1000, 1167, 1331, 1465, 1596, 1694, 1810, 1932, 2022),
    "cohcoh": (977, 1000, 1104, 1224, 1297, 1381, 1486, 1605, 1742, 1849),
}
OPTIONS: dict[str, dict[str, OptionValue]] = {"cohcoh": {"n": 6, "k": 4}}  # other games: their defaults


def measured_anchors(game: str, options: Mapping[str, OptionValue]) -> dict[str, float]:
    """Return the rating of each house bot that was measured in a game with these options. Empty if none was."""
    if game not in MEASURED:
        return {}
    known = create(game, OPTIONS.get(game)).spec.options
    if {name: value for name, value in options.items() if name != "start"} != dict(known):
        return {}
    return dict(zip(NAMES, map(float, MEASURED[game]), strict=True))
