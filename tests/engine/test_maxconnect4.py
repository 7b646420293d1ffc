"""Max-Connect4: hand-made cases for every rule in docs/rules.md."""

from __future__ import annotations

import pytest

from engine.contract.positions import walk
from engine.errors import IllegalMove, InvalidNotation, InvalidPosition
from engine.game import State
from engine.registry import create

GAME = create("maxconnect4")
EMPTY = "0000000"
WINDOWS = [
    [(x + i * dx, y + i * dy) for i in range(4)]
    for x in range(7)
    for y in range(6)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
    if 0 <= x + 3 * dx < 7 and 0 <= y + 3 * dy < 6
]


def counts(state: State, colour: str, pieces: int) -> int:
    """Count the windows of four that contain exactly `pieces` pieces of a colour."""
    rows = GAME.dump(state).split()[0].split("/")
    return sum(sum(rows[y][x] == colour for x, y in window) == pieces for window in WINDOWS)


def board(*rows: str) -> State:
    """Return the position with these bottom rows, from top to bottom."""
    pieces = sum(row.count("1") + row.count("2") for row in rows)
    return GAME.load("/".join([*[EMPTY] * (6 - len(rows)), *rows]) + f" {pieces % 2 + 1}")


def test_start_position_and_sides() -> None:
    assert GAME.dump(GAME.start()) == "0000000/0000000/0000000/0000000/0000000/0000000 1"
    assert GAME.legal(GAME.start()) == ("1", "2", "3", "4", "5", "6", "7")
    assert (GAME.sides, GAME.spec.rows, GAME.spec.columns) == (("red", "green"), 6, 7)


def test_pieces_stack_and_sides_alternate() -> None:
    state = GAME.start()
    for column in "44474":
        state = GAME.play(state, GAME.parse(state, column))
    assert GAME.dump(state) == "0000000/0000000/0001000/0001000/0002000/0001002 2"


def test_full_column_is_illegal() -> None:
    state = GAME.start()
    for _ in range(6):
        state = GAME.play(state, GAME.parse(state, "1"))
    with pytest.raises(IllegalMove, match="1 is not legal here; legal: 2 3 4 5 6 7"):
        GAME.parse(state, "1")
    for text in ("0", "8", "12", "a", "-1", ""):
        with pytest.raises(InvalidNotation, match="expected a column from 1 to 7"):
            GAME.parse(state, text)


def test_board_has_69_quadruples() -> None:
    assert len(WINDOWS) == GAME.rules.fours(GAME.rules.FULL) == 69


def test_overlapping_quadruples_count_separately() -> None:
    assert GAME.evaluate("score", board("2222000", "1111100"), 0) == 2 - 1  # five in a row are two quadruples
    assert GAME.evaluate("score", board("2222220", "1111111"), 0) == 4 - 3  # seven are four, six are three
    assert GAME.evaluate("score", board("2222220", "1111111"), 1) == 3 - 4


def test_quadruples_are_counted_in_all_four_directions() -> None:
    assert GAME.evaluate("score", board("2220000", "1111000"), 0) == 1
    assert GAME.evaluate("score", board("1000000", "1000000", "1200000", "1220000"), 0) == 1
    assert GAME.evaluate("score", board("0001000", "0012000", "0122000", "1221000"), 0) == 1
    assert GAME.evaluate("score", board("1000000", "2100000", "2210000", "1221000"), 0) == 1


def test_line_does_not_wrap_into_the_next_column() -> None:
    column_and_next = board("1000000", "1000000", "1000000", "2000000", "2000000", "2100000")
    assert GAME.evaluate("score", column_and_next, 0) == 0


@pytest.mark.parametrize("seed", range(10))
def test_game_ends_on_a_full_board_and_most_points_win(seed: int) -> None:
    states = list(walk(GAME, seed))
    assert len(states) == 43
    assert all(GAME.outcome(state) is None for state in states[:-1])
    outcome, red, green = GAME.outcome(states[-1]), counts(states[-1], "1", 4), counts(states[-1], "2", 4)
    assert outcome is not None
    assert (outcome.reason, outcome.scores) == ("score", (red, green))
    assert outcome.winner == (None if red == green else 0 if red > green else 1)


@pytest.mark.parametrize("seed", range(10))
def test_evaluations_agree_with_a_simple_count(seed: int) -> None:
    for state in walk(GAME, 100 + seed):
        lead = counts(state, "1", 4) - counts(state, "2", 4)
        course = 999 if lead > 0 else -999 if lead < 0 else 0
        if GAME.outcome(state) is not None:
            course = 1000 * lead + 500 * (counts(state, "1", 3) - counts(state, "2", 3))
        for side, sign in ((0, 1), (1, -1)):
            assert GAME.evaluate("score", state, side) == sign * lead
            assert GAME.evaluate("course", state, side) == sign * course
        for word, colour in zip(state.of(0), "12", strict=True):
            assert GAME.rules.threes(word) == counts(state, colour, 3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not have the form"),
        ("0000000/0000000/0000000/0000000/0000000/2120121", "does not have the form"),
        ("0000000/0000000/0000000/0000000/2120121 1", "does not have the form"),
        ("0000000/0000000/0000000/0000000/000000/2120121 1", "does not have the form"),
        ("0000000/0000000/0000000/0000000/0000000/2120123 1", "does not have the form"),
        ("0000000/0000000/0000000/0000000/0000000/2120121 3", "does not have the form"),
        ("0000000/0000000/0000000/0000000/0001000/2120121 2", "the piece in row 2 of column 4 floats over an empty"),
        (
            "0000000/0000000/0000000/0000000/0000000/2120121 2",
            "with 6 pieces on the board it is player 1's turn, not 2",
        ),
        (
            "0000000/0000000/0000000/0000000/0000000/1110111 1",
            "6 red and 0 green pieces are impossible when sides alternate",
        ),
        (
            "0000000/0000000/0000000/0000000/0000000/2000000 2",
            "0 red and 1 green pieces are impossible when sides alternate",
        ),
    ],
)
def test_invalid_positions_are_rejected(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match="not a position of maxconnect4: ") as caught:
        GAME.load(text)
    assert why in str(caught.value)
