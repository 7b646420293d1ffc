"""n-k-coh-coh: hand-made cases for every rule in docs/rules.md."""

from __future__ import annotations

from functools import cache

import pytest

from engine.errors import IllegalMove, InvalidNotation, InvalidOption, InvalidPosition
from engine.game import Game, State
from engine.registry import create


def ended(position: str, move: str, k: int) -> tuple[str, str] | None:
    """Return the result and the reason after a move, or None if the game goes on."""
    game = create("cohcoh", {"k": k, "start": position})
    outcome = game.outcome(game.play(game.start(), game.parse(game.start(), move)))
    return None if outcome is None else (outcome.result, outcome.reason)


def test_start_position_and_defaults() -> None:
    game = create("cohcoh")
    assert game.dump(game.start()) == "................ w"
    assert game.spec.options == {"n": 4, "k": 3}
    assert game.sides == ("white", "black")
    assert len(game.moves(game.start())) == 16


def test_moves_are_numbered_from_the_top_and_squares_named_as_in_chess() -> None:
    game = create("cohcoh", {"n": 3})
    texts = [game.format(game.start(), move) for move in game.moves(game.start())]
    assert texts == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    state = game.play(game.start(), game.parse(game.start(), "b3"))
    assert game.dump(game.play(state, game.parse(state, "c1"))) == ".w......b w"


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("ww.......bb..... w", "c4"),  # a row
        ("w...wb....b..... w", "a2"),  # a column
        ("w..b.w.....b.... w", "c2"),  # a diagonal downwards
        ("...wb.w.b....... w", "b2"),  # a diagonal upwards
        ("w.w......bb..... w", "b4"),  # closed in the middle
    ],
)
def test_line_of_k_loses(position: str, move: str) -> None:
    assert ended(position, move, 3) == ("0-1", "line")


def test_line_of_k_by_black_loses() -> None:
    assert ended("bb..w.w..w...... b", "c4", 3) == ("1-0", "line")


def test_line_longer_than_k_loses() -> None:
    assert ended("ww.wwbb..bb.............. w", "c5", 3) == ("0-1", "line")


def test_line_does_not_wrap_around_the_edge() -> None:
    assert ended("..ww....b......b w", "a3", 3) is None
    assert ended("...ww..b.......b w", "b3", 3) is None


def test_full_board_without_a_line_is_a_draw() -> None:
    assert ended("wwbbbwwb. w", "c1", 3) == ("1/2-1/2", "no_moves")


def test_k_larger_than_the_board_is_always_a_draw() -> None:
    assert value(create("cohcoh", {"n": 2, "k": 3})) == 0
    assert value(create("cohcoh", {"n": 1, "k": 2})) == 0


def value(game: Game) -> int:
    """Return the value for the first player under best play."""

    @cache
    def best(state: State) -> int:
        if game.outcome(state) is not None:
            return int(game.rules.score(state.mine, state.rest))
        return max(-best(game.after(state, move)) for move in game.moves(state))

    return best(game.start())


@pytest.mark.parametrize(("n", "k", "expected"), [(2, 2, -1), (3, 2, -1), (3, 3, 0)])
def test_game_values_for_the_first_player(n: int, k: int, expected: int) -> None:
    assert value(create("cohcoh", {"n": n, "k": k})) == expected


def test_windows_evaluation_counts_windows_that_one_side_can_fill() -> None:
    game = create("cohcoh", {"n": 3, "k": 3, "start": "ww......b b"})
    assert [game.evaluate("windows", game.start(), side) for side in (0, 1)] == [4 - 5, 5 - 4]
    larger = create("cohcoh", {"n": 6, "k": 4, "start": "w................wb.w.w.b.w..b...b.. b"})
    assert [larger.evaluate("windows", larger.start(), side) for side in (0, 1)] == [24 - 38, 38 - 24]


def test_largest_board_is_playable() -> None:
    game = create("cohcoh", {"n": 12, "k": 12})
    state = game.start()
    for column in "abcdefghijk":
        for row in (12, 1):
            state = game.play(state, game.parse(state, f"{column}{row}"))
    assert game.outcome(state) is None
    lost = game.play(state, game.parse(state, "l12"))
    outcome = game.outcome(lost)
    assert outcome is not None
    assert (outcome.result, outcome.reason) == ("0-1", "line")
    assert game.load(game.dump(lost)) == lost


def test_occupied_square_is_illegal_and_unknown_square_is_invalid() -> None:
    game = create("cohcoh", {"n": 3, "start": ".w......b w"})
    with pytest.raises(IllegalMove, match="b3 is not legal here; legal: a1 a2 a3 b1 b2 c2 c3"):
        game.parse(game.start(), "b3")
    for text in ("d1", "a4", "a0", "a01", "b", "3", "B3", "b3b3", "ab", "b-1"):
        with pytest.raises(InvalidNotation, match="expected a square, like b3"):
            game.parse(game.start(), text)


@pytest.mark.parametrize("options", [{"n": 0}, {"n": 13}, {"k": 1}, {"k": "three"}, {"n": 4.0}, {"m": 3}, {"n": True}])
def test_invalid_options_are_rejected(options: dict[str, object]) -> None:
    with pytest.raises(InvalidOption, match="cohcoh"):
        create("cohcoh", options)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not have the form"),
        (".w......b", "does not have the form"),
        (".w......b x", "does not have the form"),
        (".w......B w", "does not have the form"),
        (".w.....b w", "a board of 3 x 3 has 9 cells, not 8"),
        (".w......b b", "with 1 white and 1 black marbles it is white's turn"),
        (".w....... w", "with 1 white and 0 black marbles it is black's turn"),
        (".b....... w", "0 white and 1 black marbles are impossible when sides alternate"),
        ("www...... b", "3 white and 0 black marbles are impossible when sides alternate"),
        ("wwwbb.b.. w", "white is to move but has a line of 3, so the game was already over"),
    ],
)
def test_invalid_positions_are_rejected(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match="not a position of cohcoh: ") as caught:
        create("cohcoh", {"n": 3}).load(text)
    assert why in str(caught.value)


def test_start_position_of_wrong_size_is_rejected() -> None:
    with pytest.raises(InvalidPosition, match="a board of 3 x 3 has 9 cells, not 8"):
        create("cohcoh", {"start": ".w.....b w"})
