"""`parlour play --plain`: games line by line against a bot on a private server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.long import long
from tests.waiting import TIMEOUT_S


@contextmanager
def playing(folder: Path, game: str, *words: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "parlour", "play", game, "--private", "--plain", "--vs", "random", *words],
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "TERM": "dumb", **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    with playing(tmp_path, "cohcoh", "--seat", "first", "--option", "k=4") as process:
        yield process


def until(game: subprocess.Popen[str], text: str) -> list[str]:
    """Return the lines up to one that starts with a text."""
    assert game.stdout is not None
    lines: list[str] = []
    for line in game.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith(text):
            return lines
    raise AssertionError(f"no {text!r} in {lines}")


def type_line(game: subprocess.Popen[str], text: str) -> None:
    assert game.stdin is not None
    game.stdin.write(f"{text}\n")
    game.stdin.flush()


def test_game_is_played_line_by_line_to_its_end(game: subprocess.Popen[str]) -> None:
    lines = until(game, "Your move")
    assert any(line.startswith("Type a move") for line in lines)
    type_line(game, "z9")
    until(game, "'z9' is not a move of cohcoh")
    for ply in (1, 3):
        type_line(game, "moves")
        assert game.stdout is not None
        type_line(game, game.stdout.readline().split()[0])
        board = until(game, f"{ply}. white")
        until(game, f"{ply + 1}. black")
        until(game, "Your move")
        assert board
    type_line(game, "say good game")
    until(game, "you: good game")
    type_line(game, "resign")
    until(game, "random wins: you resigned")
    assert game.wait(TIMEOUT_S) == 0


def test_unfinished_games_are_offered(tmp_path: Path) -> None:
    for game, answers in (("conga", []), ("mancala", ["new"]), ("cohcoh", ["3", "1"])):
        with playing(tmp_path, game, "--seat", "first") as process:
            for answer in answers:
                until(process, "Type the number of a game")
                type_line(process, answer)
            shown = until(process, "Your move")
            type_line(process, "quit")
            assert process.wait(TIMEOUT_S) == 0
    assert any(line.startswith("Mancala") for line in shown)  # Conga was resigned before


def test_quitting_closes_a_waiting_room(tmp_path: Path) -> None:
    for words in (("--vs", "anyone"), ("--seat", "first")):
        with playing(tmp_path, "conga", *words) as process:
            assert until(process, "Type")[-1].startswith("Type a move")  # there is no unfinished game
            type_line(process, "quit")
            assert process.wait(TIMEOUT_S) == 0


@pytest.mark.parametrize("errors", ["strict", *long("surrogateescape")])
def test_undecodable_input_is_accepted(errors: str, tmp_path: Path) -> None:
    with playing(tmp_path, "conga", "--seat", "first", PYTHONIOENCODING=f"utf-8:{errors}") as process:
        until(process, "Your move")
        assert process.stdin is not None
        os.write(process.stdin.fileno(), b"\xff\n")
        out, _ = process.communicate("quit\n", timeout=TIMEOUT_S)
    assert out.startswith("'\ufffd' is not a move of conga")
    assert process.returncode == 0


def test_a_script_may_pipe_all_its_lines_at_once(tmp_path: Path) -> None:
    with playing(tmp_path, "mancala", "--seat", "first") as process:
        out, _ = process.communicate("1\nmoves\nresign\n", timeout=TIMEOUT_S)
    assert "It is not your turn" not in out
    assert "random wins: you resigned" in out
    assert process.returncode == 0


def test_end_of_input_quits(game: subprocess.Popen[str]) -> None:
    until(game, "Your move")
    assert game.stdin is not None
    game.stdin.close()
    until(game, "Input ended: you have left the game in room ")
    assert game.wait(TIMEOUT_S) == 0
