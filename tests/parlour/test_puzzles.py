"""`parlour puzzles` and `parlour play --puzzles`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from engine.puzzles import Puzzle, parse_puzzles, write_puzzles
from engine.record import write
from engine.registry import create
from parlour.cli.main import main
from tests.engine.self_play import self_play
from tests.parlour.records import MANCALA, save

PUZZLE = Puzzle("cohcoh", "...bw.b...wbw... w", "d1", 1, 4, options={"n": 4, "k": 3})


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main([*words]) == code
    out = capsys.readouterr()
    return out.err if code == 2 else out.out


def test_puzzles_of_a_file_are_asked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = save(tmp_path, write_puzzles([PUZZLE, PUZZLE, PUZZLE]))
    monkeypatch.setattr(sys, "stdin", io.StringIO("hint\na4\nz\nd1\nd1\nshow\n"))
    text = run(capsys, "play", "--puzzles", file)
    assert "white to move. One move wins." in text
    assert "It begins at d1." in text
    assert "No. Try again." in text
    assert "is not a move of cohcoh" in text
    assert "Best was d1." in text
    assert "Solved at the first try: 1 of 3." in text


def test_puzzles_name_the_sides_as_the_terminal_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    text = run(capsys, "play", "--puzzles", "conga")
    assert "blue to move" in text or "red to move" in text
    assert "b is blue, w is red" in text


def test_end_of_input_ends_the_puzzles(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "Solved at the first try: 0 of 0." in run(capsys, "play", "--puzzles", "conga")


@pytest.mark.parametrize("on_terminal", [True, False])
def test_check_shows_its_progress_on_a_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_terminal: bool
) -> None:
    monkeypatch.setattr("parlour.cli.progress.REDRAW_INTERVAL_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_terminal)
    file = save(tmp_path, write_puzzles([PUZZLE, PUZZLE, PUZZLE]))
    assert main(["puzzles", "--check", file, "--plain"]) == 0
    out = capsys.readouterr()
    assert out.out == f"{file}: ok, 3 puzzles\n"
    assert ("\rchecking puzzles: 2 of 3" in out.err) is on_terminal


def test_puzzles_are_made_from_a_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = create("mancala", {"pits": 3, "stones": 3})
    file = save(tmp_path, write(self_play(game, 4)))
    options = ["--option", "pits=3", "--option", "stones=3"]
    made = parse_puzzles(run(capsys, "puzzles", "mancala", *options, "--from", file, "--plain", "--nodes", "2000"))
    assert made
    assert all(puzzle.options["pits"] == 3 for puzzle in made)
    assert run(capsys, "puzzles", "--check", save(tmp_path, write_puzzles(made)), "--plain").count("ok, ") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["puzzles"], "name a game"),
        (["puzzles", "chess"], "chess"),
        (["puzzles", "--check", "missing.jsonl"], "missing.jsonl"),
        (["play", "--puzzles", "missing.jsonl"], "missing.jsonl"),
    ],
)
def test_mistakes_get_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    error = run(capsys, *words, code=2)
    assert sentence in error
    assert error.count("\n") == 1


def test_record_of_another_game_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    error = run(capsys, "puzzles", "conga", "--from", save(tmp_path, MANCALA), code=2)
    assert "is a game of mancala with other options" in error


def test_wrong_puzzle_file_names_the_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = save(tmp_path, write_puzzles([PUZZLE]).replace("d1", "d9"))
    assert "line 2: " in run(capsys, "puzzles", "--check", file, code=2)
