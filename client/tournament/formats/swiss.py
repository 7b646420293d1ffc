"""A Swiss tournament: in every round those meet who stand about equal, and nobody meets anybody twice while possible.

Who is left over has a bye, once, and gets what winning every game of the round would have brought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from client.tournament.formats.schedule_builder import Bye, Pair, Schedule, ScheduleBuilder, all_played, pair_points
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

Met = Counter[frozenset[str]]  # how often two have met
MAX_PAIRING_STEPS = 20_000  # steps of looking for a round without repetitions


def swiss(plan: Plan, results: Results) -> Schedule:
    builder = ScheduleBuilder()
    order_drawn = list(plan.names)
    Random(f"{plan.seed} swiss").shuffle(order_drawn)
    score: dict[str, float] = dict.fromkeys(order_drawn, 0.0)
    met: Met = Counter()
    for number in range(1, plan.rounds + 1):
        order = sorted(order_drawn, key=lambda name: -score[name])
        idle, meetings = pair_up(order, met, {bye.name for bye in builder.byes})
        if idle is not None:
            builder.byes.append(Bye(number, idle, float(plan.games)))
            score[idle] += plan.games
        pairs = open_round(plan, builder, number, meetings, met)
        if not all_played(pairs, results):
            return builder.schedule(final=False)
        for pair in pairs:
            for name in pair[0].seats:
                score[name] += pair_points(pair, results, name) or 0.0
    return builder.schedule(final=True)


def open_round(
    plan: Plan, builder: ScheduleBuilder, number: int, meetings: list[tuple[str, str]], met: Met
) -> list[Pair]:
    pairs = []
    for first, second in meetings:
        met[frozenset((first, second))] += 1
        pairs += [builder.pair(number, first, second) for _ in range(plan.games // 2)]
    return pairs


def pair_up(order: Sequence[str], met: Met, idle_before: set[str]) -> tuple[str | None, list[tuple[str, str]]]:
    """Who has the bye, if somebody must, and who meets whom; `order` has the best first."""
    if len(order) % 2 == 0:
        return None, pair_without_repeats(order, met) or pair_with_fewest_repeats(order, met)
    last_first = [*reversed([name for name in order if name not in idle_before])]
    last_first += [*reversed([name for name in order if name in idle_before])]
    for idle in last_first:
        found = pair_without_repeats([name for name in order if name != idle], met)
        if found is not None:
            return idle, found
    idle = last_first[0]
    return idle, pair_with_fewest_repeats([name for name in order if name != idle], met)


def pair_without_repeats(order: Sequence[str], met: Met) -> list[tuple[str, str]] | None:
    """Each with the next one below whom they have not met; None if that cannot be done.

    From the top with steps back; groups that could not be paired are remembered. Once steps back were needed, whoever
    has the least choice comes first.
    """
    unpairable: set[frozenset[str]] = set()
    steps = 0

    def choices(name: str, left: Sequence[str]) -> list[str]:
        return [other for other in left if other != name and not met[frozenset((name, other))]]

    def pair(left: tuple[str, ...]) -> list[tuple[str, str]] | None:
        nonlocal steps
        if not left:
            return []
        steps += 1
        if steps > MAX_PAIRING_STEPS or frozenset(left) in unpairable:
            return None
        first = min(left, key=lambda name: len(choices(name, left))) if unpairable else left[0]
        for second in choices(first, left):
            rest = pair(tuple(name for name in left if name not in (first, second)))
            if rest is not None:
                return [(first, second), *rest]
        unpairable.add(frozenset(left))
        return None

    return pair(tuple(order))


def pair_with_fewest_repeats(order: Sequence[str], met: Met) -> list[tuple[str, str]]:
    """ServerAccess that cannot be done: each, from the top, with whomever they have met least."""
    left, found = list(order), []
    while left:
        first = left.pop(0)
        second = min(left, key=lambda name: met[frozenset((first, name))])
        left.remove(second)
        found.append((first, second))
    return found
