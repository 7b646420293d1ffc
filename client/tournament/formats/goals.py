"""Goals of students: the games each of them needs, and whether it is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from client.tournament.formats.schedule_builder import Pair, make_pair, points_by_pair
from client.tournament.model.plan import Goal, Plan
from client.tournament.model.results import Results
from client.tournament.model.sprt import evaluate_sprt

Verdict = Literal["pass", "fail", "open"]
PairOf = Callable[[int], Pair]  # the pair with a number, from 0 on


class Assessment(NamedTuple):
    """`pairs`: how many it took, or have been played so far; `evidence` is for people."""

    verdict: Verdict
    pairs: int
    evidence: str


class GoalProgress(NamedTuple):
    """The way of a student to a goal, as far as it is certain that it has to be gone."""

    student: str
    goal: Goal
    verdict: Verdict
    evidence: str
    pairs: tuple[Pair, ...]


def goal_progress(plan: Plan, results: Results) -> list[GoalProgress]:
    """Of all students to all goals that are played for. All students get the same openings."""
    found, before = [], 0
    for student in plan.students:
        for goal in plan.goals:
            if goal.kind != "solves":
                found.append(progress_towards(plan, student, goal, before, results))
                before += goal.games // 2
    return found


def progress_towards(plan: Plan, student: str, goal: Goal, before: int, results: Results) -> GoalProgress:
    def pair(number: int) -> Pair:
        return make_pair(before + number + 1, number + 1, student, goal.against, number + 1)

    total = goal.games // 2
    worth = points_by_pair(map(pair, range(total)), results, student)
    judged = ASSESSORS[goal.kind](student, goal, worth, results, pair)
    certain = judged.pairs if judged.verdict != "open" else min(total, len(worth) + plan.ahead)
    return GoalProgress(student, goal, judged.verdict, judged.evidence, tuple(map(pair, range(certain))))


def assess_beats(student: str, goal: Goal, worth: list[float], results: Results, pair: PairOf) -> Assessment:
    balance = evaluate_sprt(worth, goal.sprt)
    score = f"{sum(worth[: balance.pairs]):g} points of {2 * balance.pairs}"
    text = f"{score}, log ratio {balance.ratio:.2f} of {balance.lower:.2f} to {balance.upper:.2f}"
    if balance.verdict:
        return Assessment("pass" if balance.verdict == "H1" else "fail", balance.pairs, text)
    if len(worth) == goal.games // 2:
        return Assessment("fail", balance.pairs, f"{text}, undecided")
    return Assessment("open", balance.pairs, text)


def assess_points(student: str, goal: Goal, worth: list[float], results: Results, pair: PairOf) -> Assessment:
    total = 0.0
    for number, value in enumerate(worth, 1):
        total += value
        possible = total + goal.games - 2 * number
        if total >= goal.points or possible < goal.points:
            verdict: Verdict = "pass" if total >= goal.points else "fail"
            return Assessment(verdict, number, f"{total:g} points of {2 * number}")
    return Assessment("open", len(worth), f"{total:g} points of {2 * len(worth)}")


def assess_forfeits(student: str, goal: Goal, worth: list[float], results: Results, pair: PairOf) -> Assessment:
    reasons: list[str] = []
    for number in range(len(worth)):
        for game in pair(number):
            result = results[game.number]
            if result.forfeited[game.seats.index(student)]:
                where = f" ({result.evidence})" if result.evidence else ""
                reasons.append(f"{result.forfeit} in game {game.number}{where}")
        if len(reasons) > goal.forfeits:
            return Assessment("fail", number + 1, f"{len(reasons)} in {2 * number + 2}: {', '.join(reasons)}")
    verdict: Verdict = "pass" if len(worth) == goal.games // 2 else "open"
    return Assessment(
        verdict, len(worth), f"{len(reasons)} in {2 * len(worth)}" + "".join(f", {why}" for why in reasons)
    )


ASSESSORS: dict[str, Callable[[str, Goal, list[float], Results, PairOf], Assessment]] = {
    "beats": assess_beats,
    "points": assess_points,
    "forfeits": assess_forfeits,
}
