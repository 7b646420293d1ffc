"""Tables and pages: safe to open, the same for the same results, and no names in public."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from client.grading.build import Build
from client.grading.course_file import Course, load
from client.grading.export import as_csv, as_text, gradescope, public_rows, student_page, write_all
from client.grading.games import GameFailure
from client.grading.grade import GoalGrade, Result, StudentGrade, same_verdict
from client.grading.submissions import Student
from tests.client.grading.sample_class import write_course


def sample(folder: Path) -> Course:
    write_course(folder)
    return load(folder / "course.toml")


def graded(course: Course, name: str, *verdicts: str, evidence: str = "seen", games: int = 2) -> StudentGrade:
    grades = tuple(
        GoalGrade(goal.name, verdict, evidence) for goal, verdict in zip(course.goals, verdicts, strict=True)
    )
    return StudentGrade(Student(name, name), Result(grades, games=games), "key")


def test_points_are_those_of_the_goals_that_are_met(tmp_path: Path) -> None:
    course = sample(tmp_path)
    rows = list(csv.DictReader(as_csv([graded(course, "ann", "pass", "fail", "pass", "fail")], course).splitlines()))
    assert rows[0]["points"] == "40"
    assert rows[0]["of"] == "100"
    assert rows[0]["builds"] == "10"
    assert rows[0]["doubles"] == "0"


def test_student_who_was_not_graded_has_no_points(tmp_path: Path) -> None:
    course = sample(tmp_path)
    grade = StudentGrade(Student("ann", "ann"), same_verdict(course, "open", "not graded: javac is not installed"))
    row = next(csv.DictReader(as_csv([grade], course).splitlines()))
    assert (row["points"], row["builds"]) == ("", "")
    assert row["problem"] == "not graded: javac is not installed"


def test_cells_are_not_formulas_and_have_one_line(tmp_path: Path) -> None:
    course = sample(tmp_path)
    grade = graded(course, "=HYPERLINK(1)", "pass", "pass", "pass", "pass", evidence="@x\ny")
    text = as_csv([grade], course)
    assert "'=HYPERLINK(1)" in text
    assert "'@x y" in text
    assert len(text.splitlines()) == 2


def test_public_standings_rank_by_goals_and_hide_names(tmp_path: Path) -> None:
    course = sample(tmp_path)
    grades = [
        graded(course, "ann", "pass", "pass", "pass", "pass", games=2),
        graded(course, "ben", "pass", "fail", "fail", "fail", games=400),
        graded(course, "cleo", "pass", "pass", "pass", "pass", games=90),
    ]
    rows = public_rows(grades, course, "key")
    assert [(row[0], row[2]) for row in rows[1:]] == [("1", "100"), ("1", "100"), ("3", "10")]
    assert not any(name in str(rows) for name in ("ann", "ben", "cleo", "seen"))
    assert public_rows(grades, course, "key") == rows
    assert {row[1] for row in rows[1:]} == {"player-1", "player-2", "player-3"}


def test_results_are_exported_for_gradescope(tmp_path: Path) -> None:
    course = sample(tmp_path)
    found = gradescope(graded(course, "ann", "pass", "pass", "fail", "fail").result, course)
    assert found["score"] == 30
    assert found["tests"][0] == {
        "name": "builds", "score": 10, "max_score": 10, "status": "passed", "output": "seen", "visibility": "visible"
    }  # fmt: skip
    assert sum(test["score"] for test in found["tests"]) == found["score"]


def test_page_escapes_everything_of_the_submission(tmp_path: Path) -> None:
    course = sample(tmp_path)
    evil = "<script>alert(1)</script>"
    result = same_verdict(
        course, "fail", evil,
        build=Build(evil, evil, evil, evil, evil), cases={evil: {evil: evil}},
        failures=(GameFailure(1, evil, evil, evil),),
    )  # fmt: skip
    page = student_page(StudentGrade(Student(evil, evil), result), course, has_games=True)
    assert "<script" not in page
    assert "script-src 'none'" in page


def test_files_of_students_who_left_are_deleted_and_others_not_touched(tmp_path: Path) -> None:
    course = sample(tmp_path)
    ann, ben = (graded(course, name, "pass", "pass", "pass", "pass") for name in ("ann", "ben"))
    out, none = tmp_path / "out", tmp_path / "none"
    write_all([ann, ben], course, out, [none, none])
    page = out / "students" / "ann" / "index.html"
    before = page.stat().st_mtime_ns
    write_all([ann], course, out, [none])
    assert page.stat().st_mtime_ns == before
    assert [path.name for path in (out / "students").iterdir()] == ["ann"]
    assert json.loads((out / "students" / "ann" / "results.json").read_text())["score"] == 100


def test_summary_is_in_the_order_of_the_class_without_ranks(tmp_path: Path) -> None:
    course = sample(tmp_path)
    grades = [
        graded(course, "ann", "fail", "fail", "fail", "fail"), graded(course, "ben", "pass", "pass", "pass", "pass")
    ]  # fmt: skip
    lines = as_text(grades, course).splitlines()
    assert [line.split()[1] for line in lines[1:3]] == ["ann", "ben"]
