"""Grades: which student has reached which goal, with the evidence. Pure."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from client.tournament.export.tables import columns, escape_formula
from client.tournament.formats.goals import Verdict, goal_progress
from client.tournament.journal.replay import TournamentState
from client.tournament.model.plan import Goal, Plan


class Grade(NamedTuple):
    goal: Goal
    verdict: Verdict
    evidence: str


def grades(plan: Plan, state: TournamentState) -> dict[str, list[Grade]]:
    """Return the grades of every student, in the order of the goals."""
    progress = {(entry.student, entry.goal.name): entry for entry in goal_progress(plan, state.results)}
    found: dict[str, list[Grade]] = {}
    for student in plan.students:
        found[student] = []
        for goal in plan.goals:
            if goal.kind == "solves":
                found[student].append(solved(state, student, goal))
            else:
                entry = progress[student, goal.name]
                found[student].append(Grade(goal, entry.verdict, entry.evidence))
    return found


def solved(state: TournamentState, student: str, goal: Goal) -> Grade:
    """Return the grade for a goal of positions."""
    given = [state.answers.get((student, goal.name, position)) for position in goal.positions]
    answers = [answer for answer in given if answer is not None]
    right = sum(answer.right for answer in answers)
    wrong = [
        f"{answer.move or answer.text or 'no answer'} at {answer.position}" for answer in answers if not answer.right
    ]
    text = f"{right} of {len(answers)} right" + (f"; wrong: {'; '.join(wrong)}" if wrong else "")
    if right >= goal.needed:
        return Grade(goal, "pass", text)
    return Grade(goal, "fail" if right + len(given) - len(answers) < goal.needed else "open", text)


def passed(row: list[Grade]) -> int:
    return sum(grade.verdict == "pass" for grade in row)


def as_csv(found: dict[str, list[Grade]], plan: Plan) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    headings = [word for goal in plan.goals for word in (goal.name, f"{goal.name}: evidence")]
    writer.writerow(["student", "passed", "of", *map(escape_formula, headings)])
    for student, row in sorted(found.items()):
        values = [word for grade in row for word in (grade.verdict, escape_formula(grade.evidence))]
        writer.writerow([escape_formula(student), passed(row), len(row), *values])
    return file.getvalue()


def as_text(found: dict[str, list[Grade]], plan: Plan) -> str:
    headings = ["", "student", "passed", *(goal.name for goal in plan.goals), ""]
    rows = [
        [str(number), student, f"{passed(row)} of {len(row)}", *(grade.verdict for grade in row), ""]
        for number, (student, row) in enumerate(sorted(found.items()), 1)
    ]
    return "\n".join(line.rstrip() for line in columns([headings, *rows]))
