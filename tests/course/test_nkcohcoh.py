"""`parlour course nkcohcoh`: a good move, a board as the last line, in time."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from engine.course.cohcoh import read_board, write_board
from engine.errors import GameError
from engine.game import State
from engine.games.cohcoh import CohCoh
from parlour.cli import main
from parlour.course.age import START_UP, process_age


def call(*words: str) -> tuple[list[str], float]:
    """The lines a process of its own prints, and how long it took from start to end."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "parlour", "course", "nkcohcoh", *words], capture_output=True, text=True, timeout=60
    )
    spent = time.perf_counter() - begun
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines(), spent


def in_time(n: str, k: str, board: str, seconds: str) -> float:
    """How long a move takes that comes within the time: one of five, since the machine may stand still in others."""
    for _ in range(5):
        lines, spent = call(n, k, board, seconds)
        assert one_marble_more(board, lines[-1])
        if spent <= float(seconds):
            return spent
    raise AssertionError(f"{seconds} s are never enough, {spent:.2f} s the last time")


def floor() -> float:
    """What the program takes now, on this machine and with whatever else it has to do, when there is nothing to do."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "parlour", "course", "nkcohcoh", "1", "2", "w", "1"], capture_output=True)
    return time.perf_counter() - begun


def one_marble_more(before: str, after: str) -> bool:
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return changed == [(".", "wb"[before.count("w") - before.count("b")])]


@pytest.mark.parametrize("board", ["................", "w...b.w....b....", ".wb............."])
def test_a_tenth_of_a_second(board: str, quiet_machine: None) -> None:
    runs = [call("4", "3", board, "0.1") for _ in range(5)]
    assert all(one_marble_more(board, lines[-1]) for lines, _ in runs)
    # A busy machine may need longer than that for Python alone; then next to nothing may come on top of it.
    assert min(spent for _, spent in runs) <= max(0.1, 1.3 * min(floor() for _ in range(3)))


@pytest.mark.parametrize("seconds", ["1", "1.6"])
def test_within_the_time_with_the_strong_search(seconds: str, quiet_machine: None) -> None:
    assert in_time("6", "4", "." * 36, seconds) > float(seconds) / 2, "the time is used"


def test_a_large_board_in_a_short_time(quiet_machine: None) -> None:
    in_time("12", "5", "." * 144, "0.5")


def test_it_finds_the_only_move_that_does_not_lose() -> None:
    # docs/rules.md: (3,3) is drawn; from the empty board only the centre keeps the draw
    lines, _ = call("3", "3", ".........", "5")
    assert lines[-1] == "....w...."
    assert lines[-2].startswith("white plays b2 (cell 4), depth ")
    assert lines[-2].endswith(": draws")


def test_every_board_comes_with_its_recommendation() -> None:
    lines, _ = call("3", "3", ".w......b", "1")
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
def test_a_game_that_is_over(capsys: pytest.CaptureFixture[str], board: str, sentence: str) -> None:
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
def test_a_bad_board(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    assert main(["course", "nkcohcoh", *words]) == 2
    out, err = capsys.readouterr()
    assert sentence in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_a_time_that_is_none(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    assert main(["course", "nkcohcoh", "3", "3", ".........", seconds]) == 2
    assert "SECONDS is a number above 0 and up to 86400" in capsys.readouterr().err


def test_boards_as_text() -> None:
    game, state = read_board(3, 3, ".w......b")
    assert state == State(1 << 1, 1 << 10, 0)
    assert write_board(game, state) == ".w......b"
    assert isinstance(game, CohCoh)
    with pytest.raises(GameError):
        read_board(3, 3, "")


def test_the_age_of_a_process() -> None:
    script = "from parlour.course.age import START_UP, process_age; print(process_age())"
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    spent = time.perf_counter() - begun
    assert 0.005 < float(done.stdout) < spent + 0.06, "the system counts in hundredths; the estimate without it is 0.05"


def test_the_age_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", unknown)
    before = time.process_time()
    assert before + START_UP <= process_age() <= time.process_time() + START_UP


def test_an_age_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "clock_gettime", lambda clock: 0.0)
    assert process_age() <= time.process_time() + START_UP
