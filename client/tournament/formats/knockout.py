"""Knockout: the loser of a tie is out. The first players of the list are seeded to meet late, and get the byes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from client.tournament.formats.schedule_builder import Bye, Pair, Schedule, ScheduleBuilder, all_played, pair_points
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results


@dataclass
class Tie:
    """Two players who meet. The first is higher in the list, and advances if the tie stays level."""

    first: str
    second: str
    pairs: list[Pair] = field(default_factory=list)

    def lead(self, results: Results) -> float:
        """Return the lead of the first player, in points."""
        return sum(
            (pair_points(pair, results, self.first) or 0) - (pair_points(pair, results, self.second) or 0)
            for pair in self.pairs
        )

    def winner(self, results: Results) -> str:
        return self.second if self.lead(results) < 0 else self.first


class BracketTie(NamedTuple):
    """A tie as people see it. A player who is not known yet is empty; in a bye only the first has a name.

    `left`: games that are still to be played, as far as known. `winner`: empty until it is known.
    """

    first: str
    second: str
    points: tuple[float, float] = (0.0, 0.0)
    left: int = 0
    winner: str = ""
    is_bye: bool = False

    @property
    def was_level(self) -> bool:
        """Whether the first player advances only by a higher place in the list."""
        return bool(self.winner) and not self.is_bye and self.points[0] == self.points[1]


Bracket = tuple[tuple[BracketTie, ...], ...]  # the rounds, each with half as many ties as the one before


def knockout(plan: Plan, results: Results) -> Schedule:
    builder, _, final = open_rounds(plan, results)
    return builder.schedule(final)


def bracket_of(plan: Plan, results: Results) -> Bracket:
    """Return all rounds of a knockout tournament, also those whose players are not known yet."""
    _, opened, final = open_rounds(plan, results)
    rounds = []
    for number, ties in enumerate(opened, 1):
        is_over = final or number < len(opened)
        rounds.append(tuple(shown_tie(tie, results, is_over) for tie in ties if tie is not None))
    while rounds and len(rounds[-1]) > 1:
        winners = [tie.winner for tie in rounds[-1]]
        rounds.append(tuple(map(BracketTie, winners[::2], winners[1::2])))
    return tuple(rounds)


def shown_tie(tie: Tie, results: Results, is_over: bool) -> BracketTie:
    """Return a tie as people see it. `is_over`: its round is, so a level tie gets no more games."""
    if not tie.second:
        return BracketTie(tie.first, "", winner=tie.first, is_bye=True)
    games = [game for pair in tie.pairs for game in pair]
    played = [game for game in games if game.number in results]
    first, second = (
        sum(results[game.number].points[game.seats.index(name)] for game in played) for name in (tie.first, tie.second)
    )
    is_decided = len(played) == len(games) and (is_over or first != second)
    winner = tie.winner(results) if is_decided else ""
    return BracketTie(tie.first, tie.second, (first, second), len(games) - len(played), winner)


def open_rounds(plan: Plan, results: Results) -> tuple[ScheduleBuilder, list[list[Tie | None]], bool]:
    """Return the pairs and the ties of all rounds that can begin, and whether the last one is over."""
    builder, rounds = ScheduleBuilder(plan.same_openings), list[list[Tie | None]]()
    entrants: list[str | None] = bracket(plan.names)
    number = 0
    while len(entrants) > 1:
        number += 1
        ties = open_round(plan, builder, number, entrants)
        rounds.append(ties)
        played = [tie for tie in ties if tie is not None and tie.second]
        if not decide(plan, builder, number, played, results):
            return builder, rounds, False
        entrants = [None if tie is None else tie.winner(results) if tie.second else tie.first for tie in ties]
    return builder, rounds, True


def bracket(names: tuple[str, ...]) -> list[str | None]:
    """Return the seeding in which neighbours meet: 1 8 4 5 2 7 3 6. A missing player is None."""
    order = [0]
    while len(order) < len(names):
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [names[seed] if seed < len(names) else None for seed in order]


def open_round(plan: Plan, builder: ScheduleBuilder, number: int, entrants: list[str | None]) -> list[Tie | None]:
    ties: list[Tie | None] = []
    for one, other in zip(entrants[::2], entrants[1::2], strict=True):
        present = sorted((name for name in (one, other) if name is not None), key=plan.names.index)
        if not present:
            ties.append(None)
        elif len(present) == 1:
            builder.byes.append(Bye(number, present[0], 0.0))
            ties.append(Tie(present[0], ""))
        else:
            first, second = present
            ties.append(Tie(first, second, [builder.pair(number, first, second) for _ in range(plan.games // 2)]))
    return ties


def decide(plan: Plan, builder: ScheduleBuilder, number: int, ties: list[Tie], results: Results) -> bool:
    """Return whether the round is over. Add extra pairs for level ties.

    Extra pairs are added for all level ties at once, so that game numbers do not depend on the order of results.
    """
    for extra in range(plan.extra + 1):
        if not all_played([pair for tie in ties for pair in tie.pairs], results):
            return False
        level = [tie for tie in ties if tie.lead(results) == 0]
        if not level or extra == plan.extra:
            break
        for tie in level:
            tie.pairs.append(builder.pair(number, tie.first, tie.second))
    return True
