"""Write the results of a class: tables for staff, a page and a file per student, and standings with pseudonyms."""

from __future__ import annotations

import csv
import io
import json
import shutil
from html import escape
from pathlib import Path
from typing import Any

from client.grading.course_file import Course
from client.grading.grade import GoalGrade, Result, StudentGrade
from client.grading.reviews import SubmissionReview
from client.grading.submissions import readable
from client.grading.work_folder import WORK, write_file
from client.presentation.texts import counted
from client.tournament.export.html import VERDICT_TEXTS, digest, html_table, mistake_cards, page_policy, page_style
from client.tournament.export.mistakes import WORST, mistake_lines
from client.tournament.export.pseudonyms import KEY_FILE, number_pseudonyms, read_key
from client.tournament.export.tables import accuracy_text, columns, escape_formula, review_line

TABLE, SUMMARY, STUDENTS = "grades.csv", "summary.txt", "students"
PAGE, GAMES_PAGE, GRADESCOPE = "index.html", "games.html", "results.json"
PUBLIC_TABLE, PUBLIC_PAGE = "standings.csv", "standings.html"
STATUS = {"pass": "passed", "fail": "failed"}  # of a test of Gradescope


def write_all(grades: list[StudentGrade], course: Course, out: Path, games_pages: list[Path]) -> None:
    """Write all files. Those that do not change are not touched. Raises OSError."""
    write_file(out / TABLE, as_csv(grades, course))
    write_file(out / SUMMARY, as_text(grades, course) + "\n")
    for grade, games in zip(grades, games_pages, strict=True):
        folder = out / STUDENTS / grade.student.folder
        write_file(folder / PAGE, student_page(grade, course, games.is_file()))
        write_file(
            folder / GRADESCOPE,
            json.dumps(gradescope(grade.result, course, grade.review), indent=1, ensure_ascii=False) + "\n",
        )
        if games.is_file():
            write_file(folder / GAMES_PAGE, games.read_text(encoding="utf-8"))
        else:
            (folder / GAMES_PAGE).unlink(missing_ok=True)
    remove_others(out / STUDENTS, {grade.student.folder for grade in grades})
    rows = public_rows(grades, course, read_key(out / KEY_FILE))
    write_file(out / PUBLIC_TABLE, rows_as_csv(rows))
    write_file(out / PUBLIC_PAGE, plain_page(course.name, [f"<h1>{escape(course.name)}</h1>", html_table(rows)]))


def remove_others(folder: Path, kept: set[str]) -> None:
    """Delete the pages of students who are no longer in the class."""
    for path in folder.iterdir():
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def accuracy_of(grade: StudentGrade) -> float | None:
    return None if grade.review is None else grade.review.accuracy


def is_reviewed(grades: list[StudentGrade]) -> bool:
    return any(grade.review is not None for grade in grades)


def points_text(result: Result, course: Course) -> str:
    return f"{result.points(course):g}" if result.graded else ""


# -- tables for staff


def as_csv(grades: list[StudentGrade], course: Course) -> str:
    """Return one row per student, in the order of the names: points, and the evidence for every goal."""
    headings = [word for goal in course.goals for word in (goal.name, f"{goal.name}: evidence")]
    accuracy = ["accuracy"] if is_reviewed(grades) else []
    head = ["student", "id", "points", "of", "problem", "same files as", "games", "page", "evidence in"]
    rows = [[*head, *headings, *accuracy]]
    for grade in grades:
        result = grade.result
        cells = [cell for goal in result.grades for cell in (goal_points(goal, course), goal.evidence)]
        rows.append([
            grade.student.name, grade.student.number or readable(grade.student.id), points_text(result, course),
            f"{course.total:g}", result.problem, ", ".join(grade.same_as), str(result.games),
            f"{STUDENTS}/{grade.student.folder}/{PAGE}", f"{WORK}/{grade.key}/games" if result.games else "", *cells,
            *(["" if (percent := accuracy_of(grade)) is None else f"{percent:.1f}"] if accuracy else []),
        ])  # fmt: skip
    return rows_as_csv(rows)


def rows_as_csv(rows: list[list[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([escape_formula(" ".join(cell.split())) for cell in row] for row in rows)
    return file.getvalue()


def goal_points(grade: GoalGrade, course: Course) -> str:
    return "" if grade.verdict == "open" else f"{course.worth[grade.goal] if grade.verdict == 'pass' else 0:g}"


def as_text(grades: list[StudentGrade], course: Course) -> str:
    """Return the points of every student and goal as a text table."""
    names = [goal.name for goal in course.goals]
    accuracy = ["accuracy"] if is_reviewed(grades) else []
    rows = [["", "student", "points", *accuracy, *(str(number) for number in range(1, len(names) + 1)), "problem", ""]]
    for number, grade in enumerate(grades, 1):
        cells = [goal_points(goal, course) for goal in grade.result.grades]
        rows.append([
            str(number), grade.student.name, points_text(grade.result, course),
            *([accuracy_text(accuracy_of(grade))] if accuracy else []), *cells, grade.result.problem[:50], "",
        ])  # fmt: skip
    legend = [f"{number}: {name}, {course.worth[name]:g}" for number, name in enumerate(names, 1)]
    return "\n".join([*(line.rstrip() for line in columns(rows)), "", *legend])


# -- Gradescope


def gradescope(result: Result, course: Course, review: SubmissionReview | None = None) -> dict[str, Any]:
    """Return the results in the format of Gradescope's autograder."""
    tests = []
    for grade in result.grades:
        worth = course.worth[grade.goal]
        test: dict[str, Any] = {"name": grade.goal, "score": worth if grade.verdict == "pass" else 0}
        test |= {"status": STATUS[grade.verdict]} if grade.verdict in STATUS else {}
        tests.append({**test, "max_score": worth, "output": grade.evidence, "visibility": "visible"})
    output = result.problem or f"{counted(result.games, 'game')} played"
    if review is not None:
        output = "\n".join(
            [output, f"accuracy: {review_text(review)}", *mistake_lines({"worst mistakes:": list(review.mistakes)})]
        )
    return {"score": result.points(course), "output": output, "output_format": "text", "tests": tests}


# -- pages


def student_page(grade: StudentGrade, course: Course, has_games: bool) -> str:
    """Return the page of a student. Everything from the submission is escaped, and no script runs."""
    result = grade.result
    title = f"{course.name}: {grade.student.name}"
    points = f"{points_text(result, course) or 'not graded,'} of {course.total:g} points"
    goals = [
        [
            one.goal,
            VERDICT_TEXTS[one.verdict],
            f"{goal_points(one, course)} of {course.worth[one.goal]:g}",
            one.evidence,
        ]
        for one in result.grades
    ]
    parts = [f"<h1>{escape(title)}</h1>", f"<p>{escape(points)}</p>"]
    parts += [f"<p>{escape(result.problem)}</p>"] if result.problem else []
    parts.append(html_table([["goal", "", "points", "evidence"], *goals]))
    parts += review_parts(grade.review, course) if grade.review is not None else []
    if result.build is not None:
        built = result.build
        parts += ["<h2>Build</h2>", f"<p>{escape(built.toolchain)}</p>"]
        parts.append(block("\n".join(text for text in (built.command, built.output, built.problem) if text)))
        parts += ["<h2>Run</h2>", block(built.run)] if built.run else []
    if result.smoke is not None:
        parts += ["<h2>Smoke test</h2>", block(result.smoke.text)]
    for goal, cases in result.cases.items():
        rows = [[name, wrong or "matches"] for name, wrong in cases.items()]
        parts += [f"<h2>{escape(goal)}</h2>", html_table([["case", "result"], *rows])]
    if has_games and result.games:
        parts.append(f'<h2>Games</h2><p><a href="{GAMES_PAGE}">{counted(result.games, "game")} to replay</a></p>')
    for failure in result.failures:
        parts.append(f"<h3>Game {failure.game}: {escape(failure.reason)}</h3><p>{escape(failure.what)}</p>")
        parts += [block(failure.stderr)] if failure.stderr.strip() else []
    return plain_page(title, parts)


def review_text(review: SubmissionReview) -> str:
    """Return the accuracy of a submission as a sentence."""
    percent = "" if review.accuracy is None else f"{accuracy_text(review.accuracy)} "
    return f"{percent}{review_line(review.extent).removeprefix('accuracy: ')}"


def review_parts(review: SubmissionReview, course: Course) -> list[str]:
    """Return the accuracy of a submission and its worst mistakes, with links to the replay."""
    parts = ["<h2>Accuracy</h2>", f"<p>{escape(review_text(review))}</p>"]
    if review.mistakes:
        parts.append(f"<p>The worst mistakes, at most {WORST}:</p>")
        parts.append(mistake_cards(review.mistakes, course.plan.create().colour_names, GAMES_PAGE))
    return parts


def block(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if text else ""


def plain_page(title: str, parts: list[str]) -> str:
    """Return a page without scripts."""
    style = page_style()
    policy = page_policy(digest(style), "'none'")
    return "\n".join([
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{style}</style></head><body>",
        *parts,
        "</body></html>",
        "",
    ])  # fmt: skip


# -- public standings


def public_rows(grades: list[StudentGrade], course: Course, key: str) -> list[list[str]]:
    """Return the standings by points for goals, with pseudonyms. Equal points share a rank.

    All students have the same goals, so the points can be compared. Games cannot: their numbers differ.
    """
    names = number_pseudonyms([grade.student.id for grade in grades], key, "player")
    graded = [grade for grade in grades if grade.result.graded]

    def order(grade: StudentGrade) -> tuple[float, str]:
        return -grade.result.points(course), names[grade.student.id]

    rows = [["rank", "student", "points", "of", *(goal.name for goal in course.goals)]]
    for grade in sorted(graded, key=order):
        points = grade.result.points(course)
        rank = 1 + sum(other.result.points(course) > points for other in graded)
        marks = [VERDICT_TEXTS[goal.verdict] for goal in grade.result.grades]
        rows.append([str(rank), names[grade.student.id], f"{points:g}", f"{course.total:g}", *marks])
    return rows
