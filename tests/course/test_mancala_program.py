"""`parlour course mancala`: input file, output files, errors."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from parlour.cli.main import main

COURSE_FILES = Path(__file__).resolve().parents[3] / "shared" / "data" / "mancala-course"
INPUT = "3\n1\n2\n0 0 2 1 1\n1 0 0 0 1\n0\n0\n"
STATE = "0 0 2 1 1\n0 0 0 0 1\n0\n1\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "setrecursionlimit", lambda limit: None)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("words", [["in.txt"], ["-i", "in.txt"]])
def test_next_state_and_log_are_written(here: Path, words: list[str]) -> None:
    (here / "in.txt").write_text(INPUT)
    assert main(["course", "mancala", *words]) == 0
    assert (here / "next_state.txt").read_bytes() == STATE.encode()
    log = (here / "traverse_log.txt").read_bytes()
    assert log.startswith(b"Node,Depth,Value,Alpha,Beta\nroot,0,-Infinity,-Infinity,Infinity\nB2,1,Infinity,")
    assert log.endswith(b"\nB6,1,-2,0,Infinity\nroot,0,0,0,Infinity\n")
    assert names(here) == ["in.txt", "next_state.txt", "traverse_log.txt"], "no temporary file is left"


def test_greedy_writes_no_log(here: Path) -> None:
    (here / "in.txt").write_bytes(b"1" + INPUT[1:].replace("\n", "\r\n").encode())
    assert main(["course", "mancala", "in.txt"]) == 0
    assert names(here) == ["in.txt", "next_state.txt"]


def test_input_is_read_from_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(INPUT.encode())))
    assert main(["course", "mancala", "-"]) == 0
    assert (here / "next_state.txt").read_text() == STATE


def test_existing_output_is_replaced_and_keeps_its_mode(here: Path) -> None:
    (here / "in.txt").write_text(INPUT)
    (here / "next_state.txt").write_text("old")
    (here / "next_state.txt").chmod(0o640)
    assert main(["course", "mancala", "in.txt"]) == 0
    assert (here / "next_state.txt").read_text() == STATE
    assert (here / "next_state.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "parlour: there is no file in.txt: check the name"),
        (b"\xff\xfe", "parlour: in.txt is not UTF-8 text: check that it is the right file"),
        (
            b"",
            "parlour: in.txt: line 1: expected the task, 1 (greedy), 2 (minimax) or 3 (alpha-beta), "
            "but the file ends before it",
        ),
        (INPUT.replace("2 1 1", "2 1 x").encode(), "parlour: in.txt: line 4: expected player 2's row, 1 to 10 pits of"),
    ],
)
def test_invalid_input_is_one_sentence_and_changes_no_file(
    here: Path, capsys: pytest.CaptureFixture[str], data: bytes | None, sentence: str
) -> None:
    if data is not None:
        (here / "in.txt").write_bytes(data)
    (here / "next_state.txt").write_text("old")
    before = names(here)
    assert main(["course", "mancala", "in.txt"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    assert out == ""
    assert names(here) == before
    assert (here / "next_state.txt").read_text() == "old"


def test_unwritable_log_leaves_the_state_file_unchanged(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "in.txt").write_text(INPUT)
    (here / "traverse_log.txt").mkdir()
    assert main(["course", "mancala", "in.txt"]) == 2
    assert capsys.readouterr().err == "parlour: traverse_log.txt is a folder: rename it, or choose another file\n"
    assert names(here) == ["in.txt", "traverse_log.txt"]


@pytest.mark.parametrize("words", [[], ["a", "-i", "b"], ["a", "b"]])
def test_wrong_arguments_are_rejected(here: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["course", "mancala", *words]) == 2
    assert "--help'" in capsys.readouterr().err
    assert names(here) == []


def test_unknown_program_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "chess"]) == 2
    assert "no course program 'chess'; choose one of mancala, maxconnect4, nkcohcoh, conga" in capsys.readouterr().err


@pytest.mark.parametrize("program", ["mancala", "maxconnect4", "nkcohcoh", "conga"])
def test_every_program_has_help(capsys: pytest.CaptureFixture[str], program: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["course", program, "--help"])
    assert left.value.code == 0
    assert f"usage: parlour course {program}" in capsys.readouterr().out


def test_board_after_the_turn_is_printed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "in.txt").write_text("1\n1\n1\n10 0 2\n3 0 0\n12\n4\n")
    assert main(["course", "mancala", "in.txt"]) == 0
    assert capsys.readouterr().out == "player 2  12 10  0  2\nplayer 1      0  0  2 5\nwrote next_state.txt\n"


@pytest.mark.skipif(not COURSE_FILES.exists(), reason="the shared data is missing")
@pytest.mark.parametrize("number", [1, 4, 6, 11])
def test_printed_board_is_the_one_of_the_course(here: Path, capsys: pytest.CaptureFixture[str], number: int) -> None:
    assert main(["course", "mancala", str(COURSE_FILES / f"testInput_{number}.txt")]) == 0
    top, bottom = (line.split()[2:] for line in capsys.readouterr().out.splitlines()[:2])
    state = [line.split() for line in (COURSE_FILES / f"next_state_{number}.txt").read_text().splitlines()]
    assert [top[1:], bottom[:-1], top[:1], bottom[-1:]] == state
