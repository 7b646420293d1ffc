"""The Max-Connect4 course file: reading with all line ends, writing, error messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.course.lines import CourseFileError
from engine.course.maxconnect4 import read_board, write_board
from engine.games.maxconnect4 import MaxConnect4
from tests.course.random_positions import random_position

GAME = MaxConnect4()
FILE = "0000000\n0000000\n0200000\n0100002\n0200111\n1100222\n1\n"
POSITION = "0000000/0000000/0200000/0100002/0200111/1100222 1"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("final", [True, False])
def test_all_line_ends_are_read(end: str, final: bool) -> None:
    text = FILE.replace("\n", end) if final else FILE.rstrip("\n").replace("\n", end)
    assert GAME.dump(read_board(text)) == POSITION


def test_file_is_written_with_lf_and_a_final_newline() -> None:
    assert write_board(GAME, GAME.load(POSITION)) == FILE


@given(seed=st.integers(0, 1000), plies=st.integers(0, 42))
def test_boards_round_trip(seed: int, plies: int) -> None:
    state = random_position(GAME, seed, plies)
    assert read_board(write_board(GAME, state)) == state


def test_full_board_can_be_read() -> None:
    state = random_position(GAME, 5, 42)
    full = GAME.after(state, GAME.moves(state)[0])
    assert not GAME.moves(full)
    assert read_board(write_board(GAME, full)) == full


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "000000", r"line 1: expected 7 digits, each 0 \(empty\), 1 or 2, not '000000'"),
        (2, "00000000", "line 2: expected 7 digits"),
        (3, "0300000", "line 3: expected 7 digits.* not '0300000'"),
        (3, "", "line 3: expected 7 digits.* not ''"),
        (4, "0000002", "line 4: expected a piece in column 2, under the piece of line 3"),
        (6, "1100220", "line 6: expected a piece in column 7, under the piece of line 5"),
        (6, "1100111", "line 6: expected player 1 to have as many pieces .* not '9 and 3'"),
        (7, "2", "line 7: expected the player to move next, 1 with 12 pieces on the board, not '2'"),
        (7, "x", "line 7: expected the player to move next"),
        (8, "0", "line 8: expected nothing after line 7, not '0'"),
    ],
)
def test_errors_name_the_line_and_what_was_expected(line: int, text: str, message: str) -> None:
    lines = [*FILE.splitlines(), ""]
    lines[line - 1] = text
    with pytest.raises(CourseFileError, match=message) as caught:
        read_board("\n".join(lines))
    assert caught.value.line == line


@pytest.mark.parametrize("count", range(7))
def test_file_that_ends_too_early_is_rejected(count: int) -> None:
    with pytest.raises(CourseFileError, match=f"line {count + 1}: expected .*, but the file ends before it"):
        read_board("".join(FILE.splitlines(keepends=True)[:count]))
