"""Knockout: the loser of a tie is out. The first players of the list are seeded to meet late, and get the byes."""

from __future__ import annotations

from dataclasses import dataclass, field

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


def knockout(plan: Plan, results: Results) -> Schedule:
    builder = ScheduleBuilder(plan.same_openings)
    entrants: list[str | None] = bracket(plan.names)
    number = 0
    while len(entrants) > 1:
        number += 1
        ties = open_round(plan, builder, number, entrants)
        played = [tie for tie in ties if tie is not None and tie.second]
        if not decide(plan, builder, number, played, results):
            return builder.schedule(final=False)
        entrants = [None if tie is None else tie.winner(results) if tie.second else tie.first for tie in ties]
    return builder.schedule(final=True)


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
