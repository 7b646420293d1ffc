"""The replay viewer without a terminal: keys, lines of the screen, and the transcript."""

from __future__ import annotations

import re

import pytest

from engine.record import parse
from parlour.cli.replay.transcript import Transcript, printable
from parlour.cli.replay.viewer import Viewer, cells
from tests.parlour.records import GOOD, MANCALA, long_record

LONG = long_record(7)


def viewer(text: str = LONG) -> Viewer:
    return Viewer(Transcript(parse(text)))


def pressed(*keys: str, text: str = LONG) -> int:
    """Return the ply shown after some keys."""
    view = viewer(text)
    assert all(view.press(key) for key in keys)
    return view.ply


def test_keys_step() -> None:
    assert pressed("right") == pressed(" ") == pressed("down") == pressed("n") == 1
    assert pressed("right", "right", "left") == pressed("end", "home", "right") == 1
    assert pressed("end", "up") == pressed("end", "backspace") == pressed("end", "p") == 6
    assert pressed("left") == pressed("right", "home") == pressed("page up") == 0
    assert pressed(*["right"] * 20) == pressed("page down") == pressed("end") == 7


def test_number_and_enter_jump() -> None:
    assert pressed("5", "enter") == 5
    assert pressed("1", "2", "backspace", "enter") == 1
    assert pressed("9", "9", "9", "9", "9", "9", "9", "enter") == 7
    assert pressed("5", "escape", "enter") == 0
    assert pressed("5", "right") == 1
    assert pressed("5", "resize", "enter") == 5


def test_q_quits_and_unknown_keys_do_nothing() -> None:
    assert not viewer().press("q")
    assert pressed("x", "unknown", "enter", "é", "²") == 0


@pytest.mark.parametrize("text", [GOOD, MANCALA, LONG])
@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 10), (10, 3), (1, 1), (0, 0)])
def test_frame_fits_any_window(text: str, size: tuple[int, int]) -> None:
    view = viewer(text)
    for ply in range(view.transcript.last + 1):
        view.go(ply)
        lines = view.frame(*size, colour=False)
        assert len(lines) == size[1]
        assert all(sum(map(cells, line)) <= size[0] for line in lines)
        assert all(line.isprintable() for line in lines)


def test_colours_do_not_change_the_text() -> None:
    view = viewer(GOOD)
    view.go(1)
    plain, colour = view.frame(80, 24, colour=False), view.frame(80, 24, colour=True)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in colour] == plain
    assert "\x1b[1;7;36mb3\x1b[0m" in "\n".join(colour)  # b4 is new and black's
    assert "\x1b" not in "".join(plain)


def test_frame_shows_move_note_and_result() -> None:
    view = viewer(GOOD)
    assert "black to move" in view.frame(100, 24, colour=False)
    assert view.frame(100, 24, colour=False)[0] == "Conga: alice (black) against bøb (white)"
    view.press("right")
    shown = view.frame(100, 24, colour=False)
    assert "1. black c3b4  (left 299.000 s, took 1.000 s)   ply 1 of 1" in shown
    assert "found \\x1b[31m it" in shown
    assert "1-0, no_moves" in shown
    view.press("1")
    assert view.frame(100, 24, colour=False)[-1] == "go to ply 1_   enter: jump"


def test_wide_character_takes_two_columns() -> None:
    view = viewer(GOOD.replace("seat 0: alice", "seat 0: 漢字漢字"))
    assert view.frame(12, 24, colour=False)[0] == "Conga: 漢字"
    assert view.frame(13, 24, colour=False)[0] == "Conga: 漢字漢"


def test_transcript_has_every_board_and_move() -> None:
    lines = list(Transcript(parse(MANCALA)).lines())
    assert lines[:2] == ["Mancala: alice (player 1) against bøb (player 2)", "pits 6, stones 4, rules course"]
    assert "2. player 1 6" in lines
    assert lines.count("") == 6
    assert lines[-1] == "player 2 to move; the record ends here"
    assert "2  0 4 4 4 4 4 4\n1    4 4 4 4 4 4 0\n     1 2 3 4 5 6" in lines


def test_transcript_of_a_wrong_record_ends_with_the_fault() -> None:
    talk = Transcript(parse(MANCALA.replace("player2 1", "player2 9")))
    assert talk.last == 2
    assert list(talk.lines())[-1].startswith("WRONG: ply 3: '9' is not a move of mancala")


def test_unfinished_game_shows_the_reason() -> None:
    text = "parlour record 1\ngame: conga\nreason: aborted\n"
    assert list(Transcript(parse(text)).lines())[-1] == "black to move; the record ends here (aborted)"


def test_points_are_shown_at_the_end() -> None:
    text = "parlour record 1\ngame: mancala\noption start: 1,2/0,1 3,4 1\nresult: 0-1\nreason: score\n\n1 player1 2\n"
    assert list(Transcript(parse(text)).lines())[-1] == "0-1, score, 5 to 6 points"


def test_control_characters_are_escaped() -> None:
    assert printable("a\x1b[2J\x07\u202eb\nc") == "a\\x1b[2J\\x07\\u202eb\\nc"
