"""Games being listed one pair after the other, and what pairs that have been played are worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from client.tournament.model.results import Pairing, Results

Pair = tuple[Pairing, Pairing]


class Bye(NamedTuple):
    """A player who has no opponent in a round."""

    round: int
    name: str
    points: float


class Schedule(NamedTuple):
    """`final`: after these games there are no more."""

    games: tuple[Pairing, ...]
    byes: tuple[Bye, ...]
    final: bool

    def finished(self, results: Results) -> bool:
        return self.final and all(game.number in results for game in self.games)


class ScheduleBuilder:
    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.byes: list[Bye] = []

    def pair(self, round: int, first: str, second: str) -> Pair:
        """Two games from an opening of their own."""
        number = len(self.pairs) + 1
        self.pairs.append(make_pair(number, round, first, second, number))
        return self.pairs[-1]

    def schedule(self, final: bool) -> Schedule:
        return Schedule(tuple(game for pair in self.pairs for game in pair), tuple(self.byes), final)


def make_pair(number: int, round: int, first: str, second: str, opening: int) -> Pair:
    """The pair of games with this number, from one opening."""
    return (
        Pairing(2 * number - 1, round, number, (first, second), opening),
        Pairing(2 * number, round, number, (second, first), opening),
    )


def pair_points(pair: Pair, results: Results, name: str) -> float | None:
    """What a pair brought to one of its players; None while it is being played."""
    if any(game.number not in results for game in pair):
        return None
    return sum(results[game.number].points[game.seats.index(name)] for game in pair)


def points_by_pair(pairs: Iterable[Pair], results: Results, name: str) -> list[float]:
    """The points of a player, pair by pair, as far as they have been played without a gap.

    So what follows from them depends on the games alone, and not on which of them was over first.
    """
    found = []
    for pair in pairs:
        worth = pair_points(pair, results, name)
        if worth is None:
            break
        found.append(worth)
    return found


def all_played(pairs: Sequence[Pair], results: Results) -> bool:
    return all(game.number in results for pair in pairs for game in pair)
