"""The schedule of every format. Pure: it follows from the plan and the results, whatever the order of the results.

`schedule` lists every game known to be needed. More may follow once these have been played, unless it is `final`.
A game that was listed once is always listed again with the same number, so a tournament can be resumed at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

from client.tournament.formats.goals import goal_progress
from client.tournament.formats.knockout import knockout
from client.tournament.formats.schedule_builder import Pair, Schedule, ScheduleBuilder, make_pair, points_by_pair
from client.tournament.formats.swiss import swiss
from client.tournament.model.plan import Plan
from client.tournament.model.plan_defaults import max_games
from client.tournament.model.results import Results
from client.tournament.model.sprt import evaluate_sprt


def schedule(plan: Plan, results: Results) -> Schedule:
    """Return the schedule of a plan, given the results so far."""
    return FORMATS[plan.format](plan, results)


def expected_games(plan: Plan, known: Schedule) -> int:
    """Return how many games a tournament will have; about how many if its schedule is not final.

    The number depends on the plan alone as long as possible, so that it does not change with every round.
    """
    if known.final:
        return len(known.games)
    planned = {
        "swiss": plan.rounds * (len(plan.players) // 2) * plan.games,
        "knockout": (len(plan.players) - 1) * plan.games,
        "match": plan.games,
    }.get(plan.format, 0)
    return max(planned, len(known.games))


class Progress(NamedTuple):
    """How far a tournament is. `known`: the games of its schedule. `expected`: as `expected_games` returns it."""

    done: int
    known: int
    expected: int
    final: bool

    @property
    def finished(self) -> bool:
        """Whether all games have been played, and no more will follow."""
        return self.final and self.done == self.known


def progress(plan: Plan, results: Results) -> Progress:
    """Return how far a tournament is.

    If all games follow from the plan alone, they are counted, not listed: a million games take seconds to list.
    """
    if plan.format in FORMATS_BY_PLAN and plan.sprt is None:
        total = max_games(plan)
        return Progress(sum(1 <= number <= total for number in results), total, total, True)
    known = schedule(plan, results)
    done = sum(game.number in results for game in known.games)
    return Progress(done, len(known.games), expected_games(plan, known), known.final)


class Meeting(NamedTuple):
    round: int
    first: str
    second: str


def schedule_meetings(plan: Plan, meetings: Iterable[Meeting]) -> Schedule:
    builder = ScheduleBuilder(plan.same_openings)
    for meeting in meetings:
        for _ in range(plan.games // 2):
            builder.pair(meeting.round, meeting.first, meeting.second)
    return builder.schedule(final=True)


def round_robin(plan: Plan, results: Results) -> Schedule:
    return schedule_meetings(plan, circle_pairings(plan.names, plan.rounds))


def circle_pairings(names: tuple[str, ...], times: int) -> list[Meeting]:
    """Pair all players with each other by the circle method."""
    places: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    size, meetings = len(places), []
    for turn in range(times):
        ring = places[1:]
        for number in range(size - 1):
            line = [places[0], *ring]
            for one, other in zip(line[: size // 2], reversed(line[size // 2 :]), strict=True):
                if one is not None and other is not None:
                    meetings.append(Meeting(turn * (size - 1) + number + 1, one, other))
            ring = [ring[-1], *ring[:-1]]
    assert {frozenset(pair) for pair in combinations(names, 2)} == {frozenset(meeting[1:]) for meeting in meetings}
    return meetings


def gauntlet(plan: Plan, results: Results) -> Schedule:
    """Pair the first player with each of the others."""
    first, *others = plan.names
    meetings = [Meeting(turn + 1, first, other) for turn in range(plan.rounds) for other in others]
    return schedule_meetings(plan, meetings)


def match(plan: Plan, results: Results) -> Schedule:
    """Schedule pairs until the test has a verdict or all games have been played."""

    def pair(number: int) -> Pair:
        return make_pair(number + 1, number + 1, plan.names[0], plan.names[1], number + 1)

    count, final = plan.games // 2, True
    if plan.sprt is not None:
        points = points_by_pair(map(pair, range(count)), results, plan.names[0])
        status = evaluate_sprt(points, plan.sprt)
        final = bool(status.verdict) or len(points) == count
        count = status.pairs if status.verdict else min(count, len(points) + plan.pairs_ahead)
    return Schedule(tuple(game for number in range(count) for game in pair(number)), (), final)


def grading(plan: Plan, results: Results) -> Schedule:
    """Schedule the games of every student for every goal. A decided goal needs no more games."""
    progress = goal_progress(plan, results)
    games = tuple(game for entry in progress for pair in entry.pairs for game in pair)
    return Schedule(games, (), all(entry.verdict != "open" for entry in progress))


FORMATS: dict[str, Callable[[Plan, Results], Schedule]] = {
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "swiss": swiss,
    "knockout": knockout,
    "match": match,
    "grading": grading,
}
FORMATS_BY_PLAN = ("round-robin", "gauntlet", "match")  # the results do not change the schedule, if there is no SPRT
