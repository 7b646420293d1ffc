"""Grade a made-up class end to end, with real compilers, in a jail where there is one."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runtime.file_lock import open_locked
from tests.client.grading.sample_class import PYTHON, SHELL, write_class, write_course, write_folder, zipped
from tests.client.programs.attackers import needs_jail
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[3]
Row = dict[str, str]
STRENGTH = """
game = "mancala"
seconds = 10

[options]
pits = 3
stones = 2

[[yardstick]]
bot = "greedy"

[[goal]]
beats = "greedy"
games = 40

[[goal]]
solves = ["2,2,2/2,2,2 0,0 1", "2,2,2/2,2,2 0,0 2"]
seconds = 5
"""


def command(folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "parlour", "grade", str(folder / "hw"), *more]


def run_grade(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, *more), cwd=ROOT, capture_output=True, text=True, timeout=4 * TIMEOUT_S, check=False
    )


def table(folder: Path) -> dict[str, Row]:
    with (folder / "hw-grades" / "grades.csv").open() as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def small_class(folder: Path, games: int = 2) -> None:
    """Write a class whose programs start fast."""
    write_course(folder, games)
    hw = folder / "hw"
    hw.mkdir()
    write_folder(hw / "ann", {"main.sh": SHELL})
    write_folder(hw / "zed", {"main.sh": SHELL})
    (hw / "ben.sh").write_text("while read -r line; do echo z9; done\n")
    (hw / "cleo.zip").write_bytes(zipped({"work/main.sh": "if [ 1 = 1 ; then\nfi\n"}))
    (hw / "dan.zip").write_bytes(zipped({"../dan.sh": SHELL}))


def files_of(folder: Path, student: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "hw-grades" / "students" / student).iterdir()}


def test_class_is_graded_and_only_a_changed_submission_is_graded_again(tmp_path: Path) -> None:
    small_class(tmp_path)
    done = run_grade(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = table(tmp_path)
    assert {name: row["points"] for name, row in rows.items()} == {
        "ann": "100", "ben": "10", "cleo": "0", "dan": "0", "zed": "100"
    }  # fmt: skip
    assert "5 submissions, 3 to grade" in done.stdout
    assert (rows["ann"]["same files as"], rows["ben"]["same files as"]) == ("zed", "")
    assert rows["ben"]["problem"] == "none of its moves is legal"
    assert "0 of 2 cases match; large: it wrote no answer.txt" in rows["ben"]["doubles: evidence"]
    assert rows["cleo"]["problem"].startswith("the build failed: ")
    assert "outside of its folder" in rows["dan"]["problem"]
    assert set(files_of(tmp_path, "ann")) == {"index.html", "games.html", "results.json"}
    assert json.loads(files_of(tmp_path, "ann")["results.json"])["score"] == 100

    before = {name: files_of(tmp_path, name) for name in ("ann", "cleo", "dan", "zed")}
    old = rows
    (tmp_path / "hw" / "ben.sh").write_text(SHELL + "# again\n")
    done = run_grade(tmp_path)
    assert "1 to grade" in done.stdout
    rows = table(tmp_path)
    assert rows["ben"]["points"] == "100"
    assert {name: rows[name] for name in before} == {name: old[name] for name in before}
    assert {name: files_of(tmp_path, name) for name in before} == before

    (tmp_path / "course.toml").write_text((tmp_path / "course.toml").read_text().replace("worth = 40", "worth = 90"))
    done = run_grade(tmp_path, "--review-nodes", "50")  # points are weighed again, and nothing is run
    assert "0 to grade" in done.stdout
    rows = table(tmp_path)
    assert rows["ann"]["points"] == "150"
    assert "ann, zed: 2 games reviewed" in done.stdout
    assert 0 < float(rows["ann"]["accuracy"]) == float(rows["zed"]["accuracy"]) <= 100
    assert rows["cleo"]["accuracy"] == ""
    page = files_of(tmp_path, "zed")["index.html"]
    assert b"The worst mistakes" in page
    assert b"<h2>Mistakes</h2>" in files_of(tmp_path, "zed")["games.html"]
    assert "games reviewed" not in run_grade(tmp_path, "--review").stdout  # all are
    assert files_of(tmp_path, "zed")["index.html"] == page


@pytest.mark.long
def test_killed_run_keeps_the_games_that_have_ended(tmp_path: Path) -> None:
    write_course(tmp_path, games=16)
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "ann.sh").write_text(SHELL)
    process = subprocess.Popen(command(tmp_path), cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        ended = wait_for_games(tmp_path, 2)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    done = run_grade(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert game_lines(tmp_path)[: len(ended)] == ended
    assert not [line for line in game_lines(tmp_path) if json.loads(line)["forfeit"]]
    numbers = [json.loads(line)["game"] for line in game_lines(tmp_path)]
    assert sorted(numbers) == list(range(1, 17))  # none is played twice
    assert table(tmp_path)["ann"]["points"] == "100"


def test_interrupt_ends_the_run_and_the_same_command_continues(tmp_path: Path) -> None:
    write_course(tmp_path, games=10)
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "ann.sh").write_text(SHELL)
    process = subprocess.Popen(
        command(tmp_path), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        wait_for_games(tmp_path, 2)
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors) == (130, ""), output
    assert "stopped; the same command continues" in output
    assert table(tmp_path)["ann"]["points"] == ""  # not graded, which is not the same as no points
    assert run_grade(tmp_path).returncode == 0
    assert table(tmp_path)["ann"]["points"] == "100"


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    small_class(tmp_path)
    (tmp_path / "hw-grades").mkdir()
    lock = open_locked(tmp_path / "hw-grades" / "lock")
    assert lock is not None
    try:
        done = run_grade(tmp_path)
    finally:
        os.close(lock)
    assert done.returncode == 2
    assert "another process is grading into" in done.stderr


def test_check_lists_submissions_and_writes_nothing(tmp_path: Path) -> None:
    small_class(tmp_path)
    done = run_grade(tmp_path, "--check")
    assert done.returncode == 0
    assert "ann: 1 file\n" in done.stdout
    assert "5 submissions, 100 points; the course file is valid" in done.stdout
    assert not (tmp_path / "hw-grades").exists()


def test_results_never_lie_among_the_submissions(tmp_path: Path) -> None:
    small_class(tmp_path)
    done = run_grade(tmp_path, "--out", str(tmp_path / "hw" / "out"))
    assert done.returncode == 2
    assert "is in the folder of the submissions" in done.stderr
    assert not (tmp_path / "hw" / "out").exists()


def test_missing_compiler_is_not_the_fault_of_the_student(tmp_path: Path) -> None:
    write_course(tmp_path)
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "ann.c").write_text("int main(void) { return 0; }\n")
    empty = tmp_path / "bin"
    empty.mkdir()
    done = subprocess.run(
        command(tmp_path, "--jail", "none"), cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env={**os.environ, "PATH": str(empty)},
    )  # fmt: skip
    assert done.returncode == 1
    row = table(tmp_path)["ann"]
    assert (row["points"], row["problem"]) == ("", "not graded: gcc is not installed on this machine: install it")


def game_lines(folder: Path) -> list[str]:
    logs = list((folder / "hw-grades" / "work").glob("*/games/log.jsonl"))
    lines = logs[0].read_text().splitlines() if logs else []
    return [line for line in lines if line.startswith('{"type":"ended"') and line.endswith("}")]


def wait_for_games(folder: Path, count: int) -> list[str]:
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        found = game_lines(folder)
        if len(found) >= count:
            return found
        time.sleep(0.02)
    raise AssertionError("no game has ended")


@pytest.mark.long
def test_positions_and_strength_are_goals(tmp_path: Path) -> None:
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw" / "ann.sh").write_text(SHELL)
    (tmp_path / "course.toml").write_text(STRENGTH)
    done = run_grade(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    row = table(tmp_path)["ann"]
    assert "of 2 right" in row["solves positions: evidence"]
    assert "log-likelihood ratio" in row["beats greedy: evidence"]
    assert row["beats greedy"] == "0"
    before = (tmp_path / "hw-grades" / "grades.csv").read_bytes()
    shutil.rmtree(tmp_path / "hw-grades")
    assert run_grade(tmp_path).returncode == 0  # the same games again: opponents and openings have fixed seeds
    strip = re.compile(rb"work/\w+/games")
    assert strip.sub(b"", (tmp_path / "hw-grades" / "grades.csv").read_bytes()) == strip.sub(b"", before)


@pytest.mark.long
@needs_jail
def test_class_in_four_languages_is_graded(tmp_path: Path) -> None:
    write_course(tmp_path, games=10, seconds=2)  # one program never answers
    names = write_class(tmp_path / "hw")
    (tmp_path / "hw" / "kept.txt").write_text("not a submission")
    done = run_grade(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = table(tmp_path)
    assert sorted(rows) == names
    right = [name for name in ("ann", "ben", "cleo", "dan", "eve", "ida", "lee") if name in rows]
    assert {name: rows[name]["points"] for name in right} == dict.fromkeys(right, "100"), done.stdout
    wrong = {"finn": "10", "hal": "10", "gia": "50", "jon": "0", "kim": "0"}
    assert {name: rows[name]["points"] for name in wrong if name in rows} == {
        name: points for name, points in wrong.items() if name in rows
    }
    assert "garbage in game" in rows["finn"]["no forfeits in 10 games: evidence"]
    if "gia" in rows:
        assert "crashed in game" in rows["gia"]["no forfeits in 10 games: evidence"]
        assert "SIGABRT" in files_of(tmp_path, "gia")["index.html"].decode()
    if "jon" in rows:
        assert "error" in rows["jon"]["problem"]
    before = {name: files_of(tmp_path, name) for name in names if name != "finn"}
    shutil.rmtree(tmp_path / "hw" / "finn")
    write_folder(tmp_path / "hw" / "finn", {"player.py": PYTHON + "# again\n"})
    done = run_grade(tmp_path)
    assert "1 to grade" in done.stdout
    assert {name: files_of(tmp_path, name) for name in before} == before
    assert table(tmp_path)["finn"]["points"] == "100"
