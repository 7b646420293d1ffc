"""Goals of students: the games each goal needs, and whether it is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from client.tournament.formats.schedule_builder import Pair, make_pair, points_by_pair
from client.tournament.model.plan import Goal, Plan
from client.tournament.model.results import Results
from client.tournament.model.sprt import evaluate_sprt

Verdict = Literal["pass", "fail", "open"]
PairOf = Callable[[int], Pair]  # by number, from 0


class Assessment(NamedTuple):
    """`pairs`: pairs that were needed, or that have been played so far. `evidence`: an explanation for people."""

    verdict: Verdict
    pairs: int
    evidence: str


class GoalProgress(NamedTuple):
    """The progress of a student towards a goal, and the pairs that have to be played for it."""

    student: str
    goal: Goal
    verdict: Verdict
    evidence: str
    pairs: tuple[Pair, ...]


def goal_progress(plan: Plan, results: Results) -> list[GoalProgress]:
    """Return the progress of every student towards every goal that is played for.

    All students get the same openings.
    """
    progress, pairs_before = [], 0
    for student in plan.students:
        for goal in plan.goals:
            if goal.kind != "solves":
                progress.append(progress_towards(plan, student, goal, pairs_before, results))
                pairs_before += goal.games // 2
    return progress


def progress_towards(plan: Plan, student: str, goal: Goal, pairs_before: int, results: Results) -> GoalProgress:
    def pair(number: int) -> Pair:
        return make_pair(pairs_before + number + 1, number + 1, student, goal.against, number + 1)

    total = goal.games // 2
    points = points_by_pair(map(pair, range(total)), results, student)
    assessment = ASSESSORS[goal.kind](student, goal, points, results, pair)
    needed = assessment.pairs if assessment.verdict != "open" else min(total, len(points) + plan.pairs_ahead)
    return GoalProgress(student, goal, assessment.verdict, assessment.evidence, tuple(map(pair, range(needed))))


def assess_beats(student: str, goal: Goal, points: list[float], results: Results, pair: PairOf) -> Assessment:
    status = evaluate_sprt(points, goal.sprt)
    score = score_text(sum(points[: status.pairs]), 2 * status.pairs)
    text = f"{score}, log-likelihood ratio {status.ratio:.2f} ({status.lower:.2f} to {status.upper:.2f})"
    if status.verdict:
        return Assessment("pass" if status.verdict == "H1" else "fail", status.pairs, text)
    if len(points) == goal.games // 2:
        return Assessment("fail", status.pairs, f"{text}, undecided")
    return Assessment("open", status.pairs, text)


def assess_points(student: str, goal: Goal, points: list[float], results: Results, pair: PairOf) -> Assessment:
    total = 0.0
    for number, value in enumerate(points, 1):
        total += value
        possible = total + goal.games - 2 * number
        if total >= goal.points or possible < goal.points:
            verdict: Verdict = "pass" if total >= goal.points else "fail"
            return Assessment(verdict, number, score_text(total, 2 * number))
    return Assessment("open", len(points), score_text(total, 2 * len(points)))


def assess_forfeits(student: str, goal: Goal, points: list[float], results: Results, pair: PairOf) -> Assessment:
    reasons: list[str] = []
    for number in range(len(points)):
        for game in pair(number):
            result = results[game.number]
            if result.forfeited[game.seats.index(student)]:
                where = f" ({result.evidence})" if result.evidence else ""
                reasons.append(f"{result.forfeit} in game {game.number}{where}")
        if len(reasons) > goal.forfeits:
            return Assessment("fail", number + 1, forfeits_text(reasons, 2 * number + 2))
    verdict: Verdict = "pass" if len(points) == goal.games // 2 else "open"
    return Assessment(verdict, len(points), forfeits_text(reasons, 2 * len(points)))


def score_text(points: float, games: int) -> str:
    return f"{points:g} {'point' if points == 1 else 'points'} of {games}"


def forfeits_text(reasons: list[str], games: int) -> str:
    count = f"{len(reasons)} {'forfeit' if len(reasons) == 1 else 'forfeits'} in {games} games"
    return f"{count}: {', '.join(reasons)}" if reasons else count


ASSESSORS: dict[str, Callable[[str, Goal, list[float], Results, PairOf], Assessment]] = {
    "beats": assess_beats,
    "points": assess_points,
    "forfeits": assess_forfeits,
}
