"""`parlour course maxconnect4`: one move from file to file, and a game in a terminal."""

from __future__ import annotations

import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest

from engine.course.maxconnect4 import read_board, write_board
from engine.games.maxconnect4 import MaxConnect4
from parlour.cli.main import main
from tests.course.random_positions import random_position
from tests.waiting import TIMEOUT_S

GAME = MaxConnect4()
FILE = "0000000\n0000000\n0200000\n0100002\n0200111\n1100222\n1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_text(FILE)
    return tmp_path


@pytest.mark.parametrize("more", [[], ["--evaluation", "course"], ["--evaluation", "strong"]])
def test_one_move_is_written_and_printed(here: Path, capsys: pytest.CaptureFixture[str], more: list[str]) -> None:
    assert main(["course", "maxconnect4", "one-move", "in.txt", "out.txt", "3", *more]) == 0
    before, after = read_board(FILE), read_board((here / "out.txt").read_text())
    assert after in [GAME.after(before, move) for move in GAME.moves(before)]
    out = capsys.readouterr().out
    assert "   1 1 . . 2 2 2\n   1 2 3 4 5 6 7\nScore: player 1 = 0, player 2 = 0\n" in out
    assert re.search(r"The computer plays column [1-7]\.\nDepth 3, value \S+, \d+ nodes, CPU time \d+\.\d{3} s\n", out)


def test_one_move_takes_an_available_point(here: Path) -> None:
    assert main(["course", "maxconnect4", "one-move", "in.txt", "in.txt", "1"]) == 0
    (here / "in.txt").write_text("0000000\n" * 3 + "1000000\n1200000\n1220000\n1\n")
    assert main(["course", "maxconnect4", "one-move", "in.txt", "out.txt", "1"]) == 0
    assert (here / "out.txt").read_text() == "0000000\n" * 2 + "1000000\n" * 2 + "1200000\n1220000\n2\n"


def test_full_board_is_shown_and_nothing_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = random_position(GAME, 5, 42)
    full = GAME.after(state, GAME.moves(state)[0])
    (here / "full.txt").write_text(write_board(GAME, full))
    assert main(["course", "maxconnect4", "one-move", "full.txt", "out.txt", "5"]) == 0
    out = capsys.readouterr().out
    assert "Score: player 1 = " in out
    assert "The board is full. " in out
    assert not (here / "out.txt").exists()
    assert main(["course", "maxconnect4", "interactive", "full.txt", "human-next", "5"]) == 0
    assert sorted(path.name for path in here.iterdir()) == ["full.txt", "in.txt"]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nothing.txt", "parlour: there is no file nothing.txt: check the name"),
        ("bad.txt", "parlour: bad.txt: line 7: expected the player to move next, 1 with 12 pieces on the board, not"),
    ],
)
def test_invalid_input_is_one_sentence_and_changes_no_file(
    here: Path, capsys: pytest.CaptureFixture[str], source: str, sentence: str
) -> None:
    (here / "bad.txt").write_text(FILE.replace("\n1\n", "\n2\n"))
    (here / "out.txt").write_text("old")
    assert main(["course", "maxconnect4", "one-move", source, "out.txt", "3"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert out == ""
    assert (here / "out.txt").read_text() == "old"


@pytest.mark.parametrize(
    "words",
    [
        ["one-move", "in.txt", "out.txt"],
        ["one-move", "in.txt", "out.txt", "0"],
        ["one-move", "in.txt", "out.txt", "43"],
        ["one-move", "in.txt", "out.txt", "deep"],
        ["interactive", "in.txt", "other-next", "3"],
        ["two-moves", "in.txt", "out.txt", "3"],
        ["one-move", "in.txt", "out.txt", "3", "--evaluation", "best"],
    ],
)
def test_wrong_arguments_are_rejected(here: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["course", "maxconnect4", *words]) == 2
    assert "--help'" in capsys.readouterr().err
    assert not (here / "out.txt").exists()


def play(folder: Path, *words: str) -> pexpect.spawn[str]:
    command = ["-m", "parlour", "course", "maxconnect4", "interactive", *words]
    return pexpect.spawn(sys.executable, command, cwd=str(folder), encoding="utf-8", timeout=TIMEOUT_S)


PROMPT = r"Player (\d), your column \(1 to 7\): "


def test_interactive_game_writes_both_files(here: Path) -> None:
    game = play(here, "nothing.txt", "human-next", "2")
    game.expect(PROMPT)
    for answer in ("8", "", "four", "0"):
        game.sendline(answer)
        game.expect("expected a column from 1 to 7")
        game.expect(PROMPT)
    assert not (here / "human.txt").exists()
    game.sendline("4")
    game.expect("The computer plays column")
    game.expect(r"CPU time \d")
    game.expect(PROMPT)
    assert (here / "human.txt").read_text() == "0000000\n" * 5 + "0001000\n2\n"
    assert read_board((here / "computer.txt").read_text()).turn == 0
    game.sendeof()
    game.expect("The game ends here.")
    game.expect(pexpect.EOF)
    game.close()
    assert game.exitstatus == 0


def test_interactive_game_ends_on_a_full_board(here: Path) -> None:
    board = random_position(GAME, 8, 36)
    assert sum(write_board(GAME, board).count(piece) for piece in "12") == 36 + 1, (
        "36 pieces, and the digit of the next player"
    )
    (here / "in.txt").write_text(write_board(GAME, board))
    game = play(here, "in.txt", "computer-next", "3")
    for _ in range(3):
        game.expect(PROMPT)
        state = read_board((here / "computer.txt").read_text())
        full = next((column for column in range(7) if column not in GAME.moves(state)), None)
        if full is not None:
            game.sendline(str(full + 1))
            game.expect("is not legal here")
            game.expect(PROMPT)
        game.sendline(str(GAME.moves(state)[0] + 1))
    game.expect(r"The board is full\. ")
    game.expect(pexpect.EOF)
    game.close()
    assert game.exitstatus == 0
    assert not GAME.moves(read_board((here / "human.txt").read_text()))


def test_interrupt_at_the_prompt_exits_cleanly(here: Path) -> None:
    game = play(here, "in.txt", "human-next", "3")
    game.expect(PROMPT)
    game.sendintr()
    game.expect("The game ends here.")
    game.expect(pexpect.EOF)
    assert "Traceback" not in game.before
    game.close()
    assert game.exitstatus == 128 + signal.SIGINT
    assert not (here / "human.txt").exists()


@pytest.mark.parametrize("first", ["human-next", "human-first"])
def test_human_moves_first(here: Path, monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: (_ for _ in ()).throw(EOFError))
    assert main(["course", "maxconnect4", "interactive", "nothing.txt", first, "2"]) == 0
    assert not (here / "computer.txt").exists()


def test_computer_moves_first(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: (_ for _ in ()).throw(EOFError))
    assert main(["course", "maxconnect4", "interactive", "nothing.txt", "computer-first", "2"]) == 0
    assert (here / "computer.txt").exists()
