"""The rules of Connect Four. Run it with pytest."""

from __future__ import annotations

import pytest
from connect_four import ConnectFour

from engine.game import Outcome, State
from engine.search import Limits, think

GAME = ConnectFour()


def play(moves: str) -> State:
    """Return the position after moves, given as columns."""
    state = GAME.start()
    for move in moves:
        state = GAME.play(state, GAME.parse(state, move))
    return state


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("1212121", "a1 a2 a3 a4"),
        ("1122334", "a1 b1 c1 d1"),
        ("12233434474", "a1 b2 c3 d4"),
        ("76655454414", "d4 e3 f2 g1"),
    ],
)
def test_four_in_a_row_win(moves: str, line: str) -> None:
    assert GAME.outcome(play(moves[:-1])) is None
    state = play(moves)
    assert GAME.outcome(state) == Outcome(0, "line")
    assert GAME.legal(state) == ()
    assert set(GAME.decisive(state)) == set(line.split())


def test_full_board_is_a_draw() -> None:
    rows = ["ggrrggr", "rrggrrg"] * 3
    assert GAME.outcome(GAME.load("/".join(rows) + " r")) == Outcome(None, "no_moves")


def test_full_column_takes_no_more_discs() -> None:
    assert GAME.legal(play("111111")) == ("2", "3", "4", "5", "6", "7")


def test_search_wins_at_once() -> None:
    state = play("112233")
    report = think(GAME, state, Limits(nodes=200), compiled=False)
    assert (report.move, report.value, report.proved) == (3, 1, True)


def test_search_prevents_four_in_a_row() -> None:
    state = play("17273")  # red threatens the fourth square
    report = think(GAME, state, Limits(nodes=2000), compiled=False)
    assert report.move == 3
