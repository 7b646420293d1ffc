"""Which games are to be played. Pure: the plan and the results so far say it all, whatever the order of the results.

`schedule` lists every game that is certain. More may follow when these have been played, unless it is `final`. The
games that were listed once are always listed again with the same numbers, so a tournament can be taken up at any time.
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
from client.tournament.model.results import Results
from client.tournament.model.sprt import evaluate_sprt


def schedule(plan: Plan, results: Results) -> Schedule:
    return FORMATS[plan.format](plan, results)


class Meeting(NamedTuple):
    round: int
    first: str
    second: str


def in_rounds(plan: Plan, meetings: Iterable[Meeting]) -> Schedule:
    builder = ScheduleBuilder()
    for meeting in meetings:
        for _ in range(plan.games // 2):
            builder.pair(meeting.round, meeting.first, meeting.second)
    return builder.schedule(final=True)


def round_robin(plan: Plan, results: Results) -> Schedule:
    return in_rounds(plan, circle(plan.names, plan.rounds))


def circle(names: tuple[str, ...], times: int) -> list[Meeting]:
    """Everybody against everybody, by the old rule: one sits still and the others move on by one chair a round."""
    chairs: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    size, found = len(chairs), []
    for turn in range(times):
        ring = chairs[1:]
        for number in range(size - 1):
            line = [chairs[0], *ring]
            for one, other in zip(line[: size // 2], reversed(line[size // 2 :]), strict=True):
                if one is not None and other is not None:
                    found.append(Meeting(turn * (size - 1) + number + 1, one, other))
            ring = [ring[-1], *ring[:-1]]
    assert {frozenset(pair) for pair in combinations(names, 2)} == {frozenset(meeting[1:]) for meeting in found}
    return found


def gauntlet(plan: Plan, results: Results) -> Schedule:
    """The first player against each of the others."""
    hero, *others = plan.names
    meetings = [Meeting(turn + 1, hero, other) for turn in range(plan.rounds) for other in others]
    return in_rounds(plan, meetings)


def match(plan: Plan, results: Results) -> Schedule:
    """Pair after pair, until the test has its verdict or there have been enough."""

    def pair(number: int) -> Pair:
        return make_pair(number + 1, number + 1, plan.names[0], plan.names[1], number + 1)

    count, final = plan.games // 2, True
    if plan.sprt is not None:
        worth = points_by_pair(map(pair, range(count)), results, plan.names[0])
        balance = evaluate_sprt(worth, plan.sprt)
        final = bool(balance.verdict) or len(worth) == count
        count = balance.pairs if balance.verdict else min(count, len(worth) + plan.ahead)
    return Schedule(tuple(game for number in range(count) for game in pair(number)), (), final)


def grading(plan: Plan, results: Results) -> Schedule:
    """One student after the other towards every goal; a goal that is decided needs no more games."""
    found = goal_progress(plan, results)
    games = tuple(game for track in found for pair in track.pairs for game in pair)
    return Schedule(games, (), all(track.verdict != "open" for track in found))


FORMATS: dict[str, Callable[[Plan, Results], Schedule]] = {
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "swiss": swiss,
    "knockout": knockout,
    "match": match,
    "grading": grading,
}
