"""A record as text."""

from __future__ import annotations

from engine.record import parse
from parlour.cli.transcript import Transcript
from tests.parlour.records import GOOD, MANCALA


def test_ply_has_its_move_details_and_status() -> None:
    talk = Transcript(parse(GOOD))
    assert (talk.move(0), talk.details(0), talk.status(0)) == ("start", [], "blue to move")
    assert talk.move(1) == "1. blue c3b4"
    assert talk.details(1) == ["left 299.000 s, took 1.000 s", r"found \u001b[31m it"]
    assert talk.status(1) == "alice wins: bøb has no moves left"


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
    assert list(Transcript(parse(text)).lines())[-1] == "blue to move; the record ends here (aborted)"


def test_points_are_shown_at_the_end() -> None:
    text = "parlour record 1\ngame: mancala\noption start: 1,2/0,1 3,4 1\nresult: 0-1\nreason: score\n\n1 player1 2\n"
    assert list(Transcript(parse(text)).lines())[-1] == "unnamed (player 2) wins 6–5"
