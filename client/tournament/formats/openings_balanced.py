"""Choose openings in which neither player is much better.

The candidates for an opening are the positions after random moves, drawn from the seed and the number of the opening.
The search values them with a fixed number of nodes and a table of fixed size, so that the same seed and the same search
give the same openings on every machine, compiled or not. The first candidate whose value lies in a band around even is
chosen. A proved draw is even. In a game without points, a proved win or loss never is.

If no new candidate is even, the band is doubled until it includes one. If all of them are decided, an opening is
repeated; without any to repeat, the first candidate is taken, whatever its value.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from client.tournament.formats.openings import draws
from client.tournament.model.chosen_opening import ChosenOpening, first_band, imbalance
from engine import search
from engine.game import Game
from engine.rules import rule_functions
from engine.search import Limits, Thinker
from engine.search.kernel import Notice
from engine.search.limits import ignore

NODES = 200_000  # per candidate
TABLE_MB = 0  # the smallest table, which does not grow: plain and compiled searches give the same values
MAX_CANDIDATES = 500  # per opening
SEARCH_VERSION_DIGITS = 12


class Cancelled(Exception):
    """The choice was cancelled."""


class BalancedOpenings:
    """The balanced openings of one game, number of plies and seed, chosen on demand."""

    def __init__(
        self,
        game: Game,
        seed: int,
        plies: int,
        known: Iterable[ChosenOpening] = (),
        cancel: threading.Event | None = None,
        nodes: int = NODES,
        compiled: bool | None = None,
        notice: Notice = ignore,
    ) -> None:
        """Continue after the `known` openings."""
        self.known = list(known)
        self._used = {opening.position for opening in self.known}
        self._game, self._seed, self._plies = game, seed, plies
        self._cancel, self._nodes, self._compiled, self._notice = cancel, nodes, compiled, notice
        self._values: dict[str, ChosenOpening] = {}  # of candidates, without a band

    def get(self, number: int) -> ChosenOpening:
        """Return the opening with this number, from 1. Raises Cancelled; then it can be called again."""
        while len(self.known) < number:
            chosen = self._choose(len(self.known) + 1)
            self.known.append(chosen)
            self._used.add(chosen.position)
        return self.known[number - 1]

    def _choose(self, number: int) -> ChosenOpening:
        band = first_band(self._game)
        rejected: dict[str, float | None] = {}  # new candidates and how far they are from even
        for position in draws(self._game, self._seed, number, self._plies, MAX_CANDIDATES):
            if position in self._used or position in rejected:
                continue
            value = self._value(position)
            off = imbalance(self._game, value.value, value.proved)
            if off is not None and off <= band:
                return with_band(value, band)
            rejected[position] = off
        return self._widen(number, band, rejected)

    def _widen(self, number: int, band: float, rejected: dict[str, float | None]) -> ChosenOpening:
        """Return the opening where no new candidate is even."""
        near = {position: off for position, off in rejected.items() if off is not None}
        if near:
            while band < min(near.values()):
                band *= 2
            return with_band(self._value(next(p for p, off in near.items() if off <= band)), band)
        if playable := [opening for opening in self.known if opening.band is not None]:
            return playable[(number - 1) % len(playable)]
        return self._value(next(iter(rejected), self._game.start_position))

    def _value(self, position: str) -> ChosenOpening:
        if position not in self._values:
            self._values[position] = evaluate(
                self._game, position, self._nodes, self._cancel, self._compiled, self._notice
            )
        return self._values[position]


def with_band(opening: ChosenOpening, band: float) -> ChosenOpening:
    return ChosenOpening(opening.position, opening.value, opening.depth, opening.proved, band, opening.search)


def evaluate(
    game: Game,
    position: str,
    nodes: int = NODES,
    cancel: threading.Event | None = None,
    compiled: bool | None = None,
    notice: Notice = ignore,
) -> ChosenOpening:
    """Return the value of a position as an opening without a band. Raises Cancelled."""
    state = game.load(position)
    thinker = Thinker(game, TABLE_MB, compiled, notice)  # a new one: values do not depend on earlier searches
    report = thinker.think(state, Limits(nodes=nodes), cancel)
    if cancel is not None and cancel.is_set():
        raise Cancelled
    value = report.value if game.turn(state) == 0 else 0 - report.value  # not -0.0
    return ChosenOpening(position, value, report.depth, report.proved, None, search_version(type(game)))


@cache
def search_version(kind: type[Game]) -> str:
    """Return a digest of the files on which the values of positions depend: those of the search and of the rules."""
    assert search.__file__ is not None
    functions = rule_functions(kind.module()).values()
    rules = {str(sys.modules[function.__module__].__file__) for function in functions}
    files = [*sorted(Path(search.__file__).parent.glob("*.py")), *sorted(map(Path, rules)), Path(__file__)]
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in files))
    return digest.hexdigest()[:SEARCH_VERSION_DIGITS]
