"""The file course.toml: strict, with errors that name the table and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.grading.course_file import Course, MatchGoal, load
from client.tournament.model.errors import TournamentError
from tests.client.grading.sample_class import write_course

SMALL = 'game = "mancala"\n[[yardstick]]\nbot = "greedy"\n'
GOAL = "[[goal]]\nbuilds = true\n"


def course(folder: Path, text: str) -> Course:
    (folder / "course.toml").write_text(text)
    return load(folder / "course.toml")


def test_course_has_goals_of_all_kinds(tmp_path: Path) -> None:
    write_course(tmp_path)
    given = load(tmp_path / "course.toml")
    assert [goal.name for goal in given.goals] == [
        "builds", "10 of 10 moves are legal", "no forfeits in 2 games", "doubles"
    ]  # fmt: skip
    assert given.total == 100
    assert given.plan.names == ("submission", "random")
    cases = given.goals[-1]
    assert isinstance(cases, MatchGoal)
    assert [case.name for case in cases.cases] == ["large", "small"]
    assert cases.cases[1].expected == {"answer.txt": b"42\n"}
    assert cases.cases[1].files == {"number.txt": b"21\n"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('game = "mancala"\n', "there are no goals"),
        (SMALL + "[[goal]]\nworth = 3\n", "goal 1: a goal has exactly one of builds, legal, matches, beats"),
        (SMALL + GOAL + "worth = -1\n", "goal 1: worth should be a number of points, at least 0, not '-1'"),
        (SMALL + GOAL + GOAL, "two goals are called 'builds'"),
        (SMALL + '[[goal]]\nbeats = "nobody"\n', "'nobody' should be the name of a player"),
        (SMALL + "[[goal]]\nlegal = 11\n", "legal should be a whole number from 1 to 10"),
        (SMALL + '[[goal]]\nmatches = "missing"\n', "missing: check the name"),
        (SMALL + '[build]\ncommand = "make all"\n' + GOAL, "run needs one too"),
        (SMALL + '[build]\ntoolchain = "cargo"\n' + GOAL, "build: toolchain should be one of auto, make, gcc"),
        (SMALL + "[run]\nmemroy = 3\n" + GOAL, "unknown key 'memroy'; did you mean memory"),
        ('game = "chess"\n' + GOAL, "chess"),
        ('game = "conga"\nadapter = "mancala"\n[[yardstick]]\nbot = "greedy"\n' + GOAL, "does not play conga"),
        (SMALL + '[[yardstick]]\nbot = "mine.py"\n' + GOAL, "should be a built-in bot"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(TournamentError, match=r"course\.toml") as caught:
        course(tmp_path, text)
    assert problem in str(caught.value)


def test_course_without_games_needs_no_yardstick(tmp_path: Path) -> None:
    solving = course(tmp_path, 'game = "mancala"\n[[goal]]\nsolves = ["4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"]\n')
    assert [goal.name for goal in solving.plan.goals] == ["solves positions"]
    assert course(tmp_path, 'game = "mancala"\n' + GOAL).plan.goals == ()


def test_digest_changes_with_what_decides_a_result_and_not_with_points(tmp_path: Path) -> None:
    before = course(tmp_path, SMALL + GOAL).digest("bwrap")
    assert course(tmp_path, "# points\n" + SMALL + GOAL + "worth = 7\n").digest("bwrap") == before
    assert course(tmp_path, 'name = "x"\n' + SMALL + GOAL).digest("bwrap") == before
    assert course(tmp_path, "seconds = 7\n" + SMALL + GOAL).digest("bwrap") != before
    assert course(tmp_path, SMALL + GOAL).digest("none") != before
    (tmp_path / "other").mkdir()
    assert course(tmp_path / "other", SMALL + GOAL).digest("bwrap") == before


def test_digest_depends_on_the_cases(tmp_path: Path) -> None:
    write_course(tmp_path)
    before = load(tmp_path / "course.toml").digest("bwrap")
    (tmp_path / "cases" / "small" / "expected" / "answer.txt").write_text("43\n")
    assert load(tmp_path / "course.toml").digest("bwrap") != before
