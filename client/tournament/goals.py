"""Goals of students: the games each of them needs, and whether it is reached."""

from __future__ import annotations

from typing import Literal, NamedTuple

from client.tournament.listing import Listing, Pair, played
from client.tournament.plan import Goal, Plan
from client.tournament.results import Results
from client.tournament.sequential import weigh

Verdict = Literal["pass", "fail", "open"]


class Track(NamedTuple):
    """The way of a student to a goal. `needed`: pairs, as far as is known now; `evidence` is for people."""

    student: str
    goal: Goal
    pairs: tuple[Pair, ...]
    verdict: Verdict
    needed: int
    evidence: str


def tracks(plan: Plan, results: Results) -> list[Track]:
    """Of all students to all goals that are played for. All students get the same openings."""
    listing = Listing()
    found = []
    for student in plan.students:
        for goal in plan.goals:
            if goal.kind != "solves":
                count = goal.games // 2
                pairs = tuple(listing.pair(number + 1, student, goal.against, number + 1) for number in range(count))
                found.append(follow(student, goal, pairs, results))
    return found


def follow(student: str, goal: Goal, pairs: tuple[Pair, ...], results: Results) -> Track:
    worth = played(pairs, results, student)
    if goal.kind == "beats":
        balance = weigh(worth, goal.sprt)
        done = {"H1": "pass", "H0": "fail"}.get(balance.verdict, "fail" if len(worth) == len(pairs) else "open")
        count = balance.pairs
        score = f"{sum(worth[:count]):g} points of {2 * count}"
        text = f"{score}, log ratio {balance.ratio:.2f} of {balance.lower:.2f} to {balance.upper:.2f}"
        text += ", undecided" if done == "fail" and not balance.verdict else ""
        return Track(student, goal, pairs, done, count if done != "open" else len(pairs), text)  # type: ignore[arg-type]
    if goal.kind == "points":
        return by_points(student, goal, pairs, worth)
    return by_forfeits(student, goal, pairs, results, len(worth))


def by_points(student: str, goal: Goal, pairs: tuple[Pair, ...], worth: list[float]) -> Track:
    total, verdict, needed = 0.0, "open", len(pairs)
    for number, value in enumerate(worth, 1):
        total += value
        if total >= goal.points or total + 2 * (len(pairs) - number) < goal.points:
            verdict, needed = "pass" if total >= goal.points else "fail", number
            break
    done = needed if verdict != "open" else len(worth)
    return Track(student, goal, pairs, verdict, needed, f"{total:g} points of {2 * done}")  # type: ignore[arg-type]


def by_forfeits(student: str, goal: Goal, pairs: tuple[Pair, ...], results: Results, count: int) -> Track:
    reasons: list[str] = []
    for number, pair in enumerate(pairs[:count], 1):
        for game in pair:
            result = results[game.number]
            if result.forfeited[game.seats.index(student)]:
                where = f" ({result.evidence})" if result.evidence else ""
                reasons.append(f"{result.forfeit} in game {game.number}{where}")
        if len(reasons) > goal.forfeits:
            return Track(student, goal, pairs, "fail", number, f"{len(reasons)} in {2 * number}: {', '.join(reasons)}")
    verdict: Verdict = "pass" if count == len(pairs) else "open"
    evidence = f"{len(reasons)} in {2 * count}" + (f": {', '.join(reasons)}" if reasons else "")
    return Track(student, goal, pairs, verdict, len(pairs), evidence)
