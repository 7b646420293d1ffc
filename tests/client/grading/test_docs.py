"""The first class of docs/courses.md: its commands and its course file work as they are written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from client.grading.course_file import load
from tests.shell import run_script
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "courses.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.S | re.M)
COURSES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.S | re.M)


def test_course_files_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "course.toml"
    path.write_text(COURSES[0] + COURSES[1])
    course = load(path)
    assert course.total == 100
    assert course.run_command == "./program"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_documented_commands_grade_the_class(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "hw2").mkdir()
    (tmp_path / "hw2" / "course.toml").write_text(COURSES[0])
    done = run_script("".join(SCRIPTS), tmp_path, 4 * TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 submissions, 100 points; the course file is valid" in done.stdout
    table = (tmp_path / "hw2" / "submissions-grades" / "grades.csv").read_text()
    assert len(table.splitlines()) == 4
    assert "SyntaxError" in table
    named = re.findall(r"^\| `([\w./]+)`(?:, `([\w.]+)`)? \|", PAGE.split("| file | for |")[1].split("\n\n")[0], re.M)
    out = tmp_path / "hw2" / "submissions-grades"
    for name in (name for names in named for name in names if name):
        assert (out / name.replace("NAME", "ben")).exists(), name
