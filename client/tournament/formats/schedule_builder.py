"""Schedules, and the pairs of games they consist of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from client.tournament.model.results import Pairing, Results

Pair = tuple[Pairing, Pairing]


class Bye(NamedTuple):
    """A player without an opponent in a round, and the points for it."""

    round: int
    name: str
    points: float


class Schedule(NamedTuple):
    """The games known so far. `final`: no more games will follow."""

    games: tuple[Pairing, ...]
    byes: tuple[Bye, ...]
    final: bool

    def finished(self, results: Results) -> bool:
        return self.final and all(game.number in results for game in self.games)


class ScheduleBuilder:
    """Collects the pairs and byes of a schedule.

    Each pair has a new opening; with `same_openings`, an opening that is new for these two players.
    """

    def __init__(self, same_openings: bool = False) -> None:
        self._same_openings = same_openings
        self._met: Counter[frozenset[str]] = Counter()  # pairs of two players so far
        self.pairs: list[Pair] = []
        self.byes: list[Bye] = []

    def pair(self, round: int, first: str, second: str) -> Pair:
        """Add two games from the next opening."""
        number, players = len(self.pairs) + 1, frozenset((first, second))
        self._met[players] += 1
        opening = self._met[players] if self._same_openings else number
        self.pairs.append(make_pair(number, round, first, second, opening))
        return self.pairs[-1]

    def schedule(self, final: bool) -> Schedule:
        return Schedule(tuple(game for pair in self.pairs for game in pair), tuple(self.byes), final)


def make_pair(number: int, round: int, first: str, second: str, opening: int) -> Pair:
    """Return the pair with this number: two games from one opening, with swapped seats."""
    return (
        Pairing(2 * number - 1, round, number, (first, second), opening),
        Pairing(2 * number, round, number, (second, first), opening),
    )


def pair_points(pair: Pair, results: Results, name: str) -> float | None:
    """Return the points of one player in a pair, or None while it is being played."""
    if any(game.number not in results for game in pair):
        return None
    return sum(results[game.number].points[game.seats.index(name)] for game in pair)


def points_by_pair(pairs: Iterable[Pair], results: Results, name: str) -> list[float]:
    """Return the points of a player pair by pair, up to the first pair that is not finished.

    Verdicts based on this depend on the games alone, not on the order in which they finish.
    """
    points = []
    for pair in pairs:
        value = pair_points(pair, results, name)
        if value is None:
            break
        points.append(value)
    return points


def all_played(pairs: Sequence[Pair], results: Results) -> bool:
    return all(game.number in results for pair in pairs for game in pair)
