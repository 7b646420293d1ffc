"""Swiss system: players with similar scores meet, and no two players meet twice while this can be avoided.

With an odd number of players one has a bye, at most once if possible. A bye counts as a win in every game of the round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from client.tournament.formats.schedule_builder import Bye, Pair, Schedule, ScheduleBuilder, all_played, pair_points
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

Met = Counter[frozenset[str]]  # number of meetings of two players
MAX_PAIRING_STEPS = 20_000  # of the search for a round without repeats


def swiss(plan: Plan, results: Results) -> Schedule:
    builder = ScheduleBuilder(plan.same_openings)
    draw_order = list(plan.names)
    Random(f"{plan.seed} swiss").shuffle(draw_order)
    score: dict[str, float] = dict.fromkeys(draw_order, 0.0)
    met: Met = Counter()
    for number in range(1, plan.rounds + 1):
        order = sorted(draw_order, key=lambda name: -score[name])
        bye_player, meetings = pair_up(order, met, {bye.name for bye in builder.byes})
        if bye_player is not None:
            builder.byes.append(Bye(number, bye_player, float(plan.games)))
            score[bye_player] += plan.games
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


def pair_up(order: Sequence[str], met: Met, had_bye: set[str]) -> tuple[str | None, list[tuple[str, str]]]:
    """Return the player with the bye, if any, and the pairs. `order` has the best player first."""
    if len(order) % 2 == 0:
        return None, pair_without_repeats(order, met) or pair_with_fewest_repeats(order, met)
    last_first = [*reversed([name for name in order if name not in had_bye])]
    last_first += [*reversed([name for name in order if name in had_bye])]
    for bye_player in last_first:
        found = pair_without_repeats([name for name in order if name != bye_player], met)
        if found is not None:
            return bye_player, found
    bye_player = last_first[0]
    return bye_player, pair_with_fewest_repeats([name for name in order if name != bye_player], met)


def pair_without_repeats(order: Sequence[str], met: Met) -> list[tuple[str, str]] | None:
    """Pair each player with the next one below that they have not met. Return None if this is impossible.

    The search goes from the top and backtracks. It remembers groups that cannot be paired. After the first dead end it
    continues with the player who has the fewest possible opponents.
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
    """Pair each player, from the top, with the opponent they have met least often."""
    left, found = list(order), []
    while left:
        first = left.pop(0)
        second = min(left, key=lambda name: met[frozenset((first, name))])
        left.remove(second)
        found.append((first, second))
    return found
