"""Grades: the verdict on every goal of a submission with the evidence, and the points. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from client.grading.build import Build
from client.grading.course_file import SMOKE_POSITIONS, BuildGoal, Course, LegalGoal, MatchGoal
from client.grading.games import GameFailure, GameResults
from client.grading.reviews import SubmissionReview
from client.grading.smoke_test import SmokeTest
from client.grading.submissions import Student

MAX_WRONG_CASES = 3  # quoted in the evidence


@dataclass(frozen=True, slots=True)
class GoalGrade:
    """`verdict`: pass, fail, or open if the goal was not judged."""

    goal: str
    verdict: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that was found out about a submission. `problem`: why it was not graded, or not played."""

    grades: tuple[GoalGrade, ...]
    problem: str = ""
    build: Build | None = None
    smoke: SmokeTest | None = None
    cases: dict[str, dict[str, str]] = field(default_factory=dict)
    games: int = 0
    failures: tuple[GameFailure, ...] = ()

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Result:
        """Return the result of a file that `dump` wrote."""
        return cls(
            grades=tuple(GoalGrade(**entry) for entry in given["grades"]),
            problem=given["problem"],
            build=None if given["build"] is None else Build(**given["build"]),
            smoke=None if given["smoke"] is None else SmokeTest(**given["smoke"]),
            cases=given["cases"],
            games=given["games"],
            failures=tuple(GameFailure(**entry) for entry in given["failures"]),
        )

    @property
    def graded(self) -> bool:
        """Whether every goal was judged."""
        return all(grade.verdict != "open" for grade in self.grades)

    def points(self, course: Course) -> float:
        return sum(course.worth[grade.goal] for grade in self.grades if grade.verdict == "pass")


@dataclass(frozen=True, slots=True)
class StudentGrade:
    """The result of a student. `key`: the folder with the evidence. `same_as`: students with the same files.

    `review`: what the reviews of its games say, if they are reviewed.
    """

    student: Student
    result: Result
    key: str = ""
    same_as: tuple[str, ...] = ()
    review: SubmissionReview | None = None


def same_verdict(course: Course, verdict: str, evidence: str, **more: Any) -> Result:
    """Return a result with the same verdict on every goal."""
    grades = tuple(GoalGrade(goal.name, verdict, evidence) for goal in course.goals)
    return Result(grades, problem=evidence, **more)


def combine(
    course: Course, build: Build, smoke: SmokeTest, cases: dict[str, dict[str, str]], played: GameResults | None
) -> Result:
    """Return the result of a submission that was built. `played`: None if no move of the smoke test was legal."""
    grades = []
    for goal in course.goals:
        match goal:
            case BuildGoal():
                grades.append(GoalGrade(goal.name, "pass", f"built with {build.toolchain}"))
            case LegalGoal(needed=needed):
                evidence = f"{smoke.legal} of {SMOKE_POSITIONS} moves are legal"
                grades.append(GoalGrade(goal.name, verdict(smoke.legal >= needed), evidence))
            case MatchGoal():
                grades.append(grade_cases(goal, cases[goal.name]))
            case _ if played is None:
                evidence = f"not played: none of {SMOKE_POSITIONS} moves of the smoke test is legal"
                grades.append(GoalGrade(goal.name, "fail", evidence))
            case _:
                grades.append(GoalGrade(goal.name, *played.grades[goal.name]))
    problem = "none of its moves is legal" if smoke.legal == 0 else ""
    games, failures = (0, ()) if played is None else (played.games, played.failures)
    return Result(tuple(grades), problem, build, smoke, cases, games, failures)


def grade_cases(goal: MatchGoal, found: dict[str, str]) -> GoalGrade:
    wrong = [f"{name}: {what}" for name, what in found.items() if what]
    right = len(found) - len(wrong)
    quoted = "; ".join(wrong[:MAX_WRONG_CASES]) + ("; …" if len(wrong) > MAX_WRONG_CASES else "")
    evidence = f"{right} of {len(found)} cases match" + (f"; {quoted}" if wrong else "")
    return GoalGrade(goal.name, verdict(right >= goal.needed), evidence)


def verdict(passed: bool) -> str:
    return "pass" if passed else "fail"
