"""`parlour course nkcohcoh`: the move, the output format, the time limit."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.course.cohcoh import read_board, successors, write_board
from engine.errors import GameError, InvalidPosition
from engine.game import State
from engine.games.cohcoh import CohCoh
from parlour.cli.main import main
from parlour.coursework.age import START_UP_S, process_age
from tests.waiting import TIMEOUT_S

EXACT = Path(__file__).resolve().parents[3] / "shared" / "data" / "cohcoh" / "exact_n3_k3.tsv"


class Call(NamedTuple):
    """A finished run of the program. Its CPU time, unlike its elapsed time, does not depend on other processes."""

    lines: list[str]
    elapsed_s: float
    cpu_s: float


def call(*words: str) -> Call:
    """Run the program in a new process."""
    command = [sys.executable, "-m", "parlour", "course", "nkcohcoh", *words]
    begun, cpu = time.perf_counter(), children_cpu()
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    return Call(done.stdout.splitlines(), time.perf_counter() - begun, children_cpu() - cpu)


def children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def has_one_more_marble(before: str, after: str) -> bool:
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return changed == [(".", "wb"[before.count("w") - before.count("b")])]


@pytest.mark.parametrize("board", ["................", "w...b.w....b....", ".wb............."])
def test_limit_of_100_ms_is_kept(board: str) -> None:
    runs = [call("4", "3", board, "0.1") for _ in range(3)]
    assert all(has_one_more_marble(board, run.lines[-1]) for run in runs)
    # On a slow machine, starting Python may take longer than 0.1 s. Then little may be added to it.
    without_search = min(call("1", "2", "w", "1").cpu_s for _ in range(3))
    assert min(run.cpu_s for run in runs) <= max(0.1, 1.3 * without_search)


@pytest.mark.parametrize(("n", "k", "seconds"), [("6", "4", "1"), ("6", "4", "1.6"), ("12", "5", "0.5")])
def test_strong_search_uses_and_keeps_the_time_limit(n: str, k: str, seconds: str) -> None:
    board = "." * int(n) ** 2
    run = call(n, k, board, seconds)
    assert has_one_more_marble(board, run.lines[-1])
    assert run.elapsed_s > float(seconds) / 2, "the program must use its time"
    assert run.cpu_s <= float(seconds)


def test_program_finds_the_only_drawing_move() -> None:
    # docs/rules.md: (3,3) is a draw; on the empty board only the centre keeps it
    lines, *_ = call("3", "3", ".........", "5")
    assert lines[-1] == "....w...."
    assert lines[-2].startswith("white plays b2 (cell 4), depth ")
    assert lines[-2].endswith(": draws")


def test_every_board_line_follows_its_move_line() -> None:
    lines, *_ = call("3", "3", ".w......b", "60")  # it ends with the proof
    assert len(lines) % 2 == 0
    for said, board in zip(lines[::2], lines[1::2], strict=True):
        cell = int(said.partition("(cell ")[2].partition(")")[0])
        assert board == ".w......b"[:cell] + "w" + ".w......b"[cell + 1 :]
    assert lines[-2].endswith(": loses")


@pytest.mark.parametrize(
    ("board", "sentence"),
    [
        ("wwbbbwwbw", "The game is over: the board is full, a draw."),
        ("wwwbb....", "The game is over: white has made a line of 3 and has lost."),
        ("bbbww...w", "The game is over: black has made a line of 3 and has lost."),
    ],
)
def test_finished_game_prints_the_result(capsys: pytest.CaptureFixture[str], board: str, sentence: str) -> None:
    assert main(["course", "nkcohcoh", "3", "3", board, "1"]) == 0
    assert capsys.readouterr().out == f"{sentence}\n{board}\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["3", "3", "........", "1"], "the board has 8 characters: expected 9, 3 rows of 3"),
        (["3", "3", "...x.....", "1"], "the board has 'x' in cell 3: expected only w, b and ."),
        (["3", "3", "ww.......", "1"], "the board has 2 white and 0 black marbles: expected as many white as black"),
        (["3", "3", "b........", "1"], "the board has 0 white and 1 black marbles"),
        (["3", "3", "bbbwwww..", "1"], "black is to move but has a line of 3"),
        (["13", "3", "." * 169, "1"], "option n of cohcoh must be a whole number from 1 to 12, not 13"),
        (["3", "1", ".........", "1"], "option k of cohcoh must be a whole number from 2 to 144, not 1"),
    ],
)
def test_invalid_boards_and_options_are_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["course", "nkcohcoh", *words]) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_invalid_times_are_rejected(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    assert main(["course", "nkcohcoh", "3", "3", ".........", seconds]) == 2
    assert "SECONDS: expected a number above 0 and up to 86400" in capsys.readouterr().err


def test_board_round_trips() -> None:
    game, state = read_board(3, 3, ".w......b")
    assert state == State(1 << 1, 1 << 10, 0)
    assert write_board(game, state) == ".w......b"
    assert isinstance(game, CohCoh)
    with pytest.raises(GameError):
        read_board(3, 3, "")


def test_age_of_the_process_includes_its_start() -> None:
    script = "from parlour.coursework.age import START_UP_S, process_age; print(process_age())"
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    spent = time.perf_counter() - begun
    assert 0.005 < float(done.stdout) < spent + 0.06, "the system counts in steps of 0.01 s"


def test_process_age_is_estimated_without_system_support(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    before = time.process_time()
    assert before + START_UP_S <= process_age() <= time.process_time() + START_UP_S


def test_implausible_process_age_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "clock_gettime", lambda clock: 0.0)
    assert process_age() <= time.process_time() + START_UP_S


def test_successors_differ_under_symmetry() -> None:
    assert successors("." * 16) == ["w" + "." * 15, ".w" + "." * 14, "....." + "w" + "." * 10]
    assert successors(".w......b")[0] == "ww......b"
    assert len(successors(".w......b")) == 7, "this board has no symmetry"
    assert successors("wb" * 8) == []
    with pytest.raises(InvalidPosition):
        successors("ww.......")


@pytest.mark.skipif(not EXACT.exists(), reason="the shared data is missing")
def test_best_successor_has_the_value_of_the_board() -> None:
    """Leaving out symmetric successors loses no value."""
    rows = [line.split("\t") for line in EXACT.read_text().splitlines()[1:]]
    values = {row[0]: int(row[3]) for row in rows}
    for board, side, status, value, *_ in rows[::7]:
        if status == "open":
            found = [values[after] for after in successors(board)]
            assert (max if side == "w" else min)(found) == int(value), board


def test_explain_lists_the_successors_before_the_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "nkcohcoh", "3", "3", ".w......b", "0.1", "--explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["white to move", "ww......b  -1", ".ww.....b  -1"]
    assert [line.split()[0] for line in lines[1:8]] == successors(".w......b")
    assert lines[8].startswith("white plays ")
    assert has_one_more_marble(".w......b", lines[-1])
    assert main(["course", "nkcohcoh", "3", "3", "ww.bb....", "0.1", "--explain"]) == 0
    assert "wwwbb....  loses" in capsys.readouterr().out
