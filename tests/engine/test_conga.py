"""Conga: hand-made cases for every rule in docs/rules.md, and for d4, which has no field in the bit layout."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove, InvalidNotation, InvalidPosition
from engine.game import Game
from engine.registry import create

EMPTY = ".,.,.,."


def after(position: str, move: str, stones: int = 10) -> str:
    game: Game = create("conga", {"stones": stones})
    state = game.load(position)
    return game.dump(game.play(state, game.parse(state, move)))


def legal(position: str, stones: int = 10) -> set[str]:
    game = create("conga", {"stones": stones})
    return set(game.legal(game.load(position)))


def test_start_position_and_defaults() -> None:
    game = create("conga")
    assert game.dump(game.start()) == "b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b"
    assert game.legal(game.start()) == ("a4a3", "a4b3", "a4b4")
    assert game.sides == ("black", "white")
    assert game.spec.options == {"stones": 10, "max_plies": 400}


def test_run_of_three_gets_one_two_and_the_rest() -> None:
    assert after("b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a4a3") == ".,.,.,./b1,.,.,./b2,.,.,./b7,.,.,w10 w"


def test_run_of_three_into_d4() -> None:
    assert after("b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a4b4") == ".,b1,b2,b7/.,.,.,./.,.,.,./.,.,.,w10 w"


def test_diagonal_run_ends_before_the_opponent() -> None:
    assert after("b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a4b3") == ".,.,.,./.,b1,.,./.,.,b9,./.,.,.,w10 w"


def test_run_of_one_before_the_opponent_gets_all_stones() -> None:
    assert after("b10,.,w4,./.,.,.,./.,.,.,./.,.,.,w6 b", "a4b4") == ".,b10,w4,./.,.,.,./.,.,.,./.,.,.,w6 w"


def test_run_of_one_at_the_edge_gets_all_stones() -> None:
    assert after(".,.,b10,./.,.,.,./.,.,.,./.,.,.,w10 b", "c4d4") == ".,.,.,b10/.,.,.,./.,.,.,./.,.,.,w10 w"


def test_run_of_two_at_the_edge_gets_one_and_the_rest() -> None:
    assert after(".,b10,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "b4c4") == ".,.,b1,b9/.,.,.,./.,.,.,./.,.,.,w10 w"


def test_run_of_two_before_the_opponent_gets_one_and_the_rest() -> None:
    assert after("b10,.,.,w3/.,.,.,./.,.,.,./.,.,.,w7 b", "a4b4") == ".,b1,b9,w3/.,.,.,./.,.,.,./.,.,.,w7 w"


@pytest.mark.parametrize(
    ("stones", "row"), [(1, ".,b1,.,."), (2, ".,b1,b1,."), (3, ".,b1,b2,."), (4, ".,b1,b2,b1"), (15, ".,b1,b2,b12")]
)
def test_too_few_stones_fill_a_run_of_three_in_order(stones: int, row: str) -> None:
    start = f"b{stones},.,.,./{EMPTY}/{EMPTY}/.,.,.,w{stones} b"
    assert after(start, "a4b4", stones) == f"{row}/{EMPTY}/{EMPTY}/.,.,.,w{stones} w"


def test_single_stone_on_a_run_of_two_goes_to_the_first_square() -> None:
    assert after(f".,b1,.,b9/{EMPTY}/{EMPTY}/.,.,.,w10 b", "b4b3") == f".,.,.,b9/.,b1,.,./{EMPTY}/.,.,.,w10 w"
    assert after(f".,b1,.,./{EMPTY}/{EMPTY}/.,.,.,w1 b", "b4c4", 1) == f".,.,b1,./{EMPTY}/{EMPTY}/.,.,.,w1 w"


def test_own_stones_do_not_end_a_run_and_stones_are_added_to_them() -> None:
    assert after(f"b4,b2,b3,b1/{EMPTY}/{EMPTY}/.,.,.,w10 b", "a4b4") == f".,b3,b5,b2/{EMPTY}/{EMPTY}/.,.,.,w10 w"


def test_square_that_receives_no_stone_is_unchanged() -> None:
    assert after(f"b1,b2,b3,b4/{EMPTY}/{EMPTY}/.,.,.,w10 b", "a4b4") == f".,b3,b3,b4/{EMPTY}/{EMPTY}/.,.,.,w10 w"


def test_move_takes_all_stones_of_its_origin_only() -> None:
    assert after(f"{EMPTY}/{EMPTY}/b3,.,.,w10/b7,.,.,. b", "a1b1") == f"{EMPTY}/{EMPTY}/b3,.,.,w10/.,b1,b2,b4 w"


def test_moves_in_all_eight_directions() -> None:
    middle = f"{EMPTY}/.,b10,.,./{EMPTY}/.,.,.,w10 b"
    assert legal(middle) == {"b3" + to for to in ("a4", "b4", "c4", "a3", "c3", "a2", "b2", "c2")}
    assert after(middle, "b3a4") == f"b10,.,.,./{EMPTY}/{EMPTY}/.,.,.,w10 w"
    assert after(middle, "b3b4") == f".,b10,.,./{EMPTY}/{EMPTY}/.,.,.,w10 w"
    assert after(middle, "b3c4") == f".,.,b10,./{EMPTY}/{EMPTY}/.,.,.,w10 w"
    assert after(middle, "b3a3") == f"{EMPTY}/b10,.,.,./{EMPTY}/.,.,.,w10 w"
    assert after(middle, "b3c3") == f"{EMPTY}/.,.,b1,b9/{EMPTY}/.,.,.,w10 w"
    assert after(middle, "b3a2") == f"{EMPTY}/{EMPTY}/b10,.,.,./.,.,.,w10 w"
    assert after(middle, "b3b2") == f"{EMPTY}/{EMPTY}/.,b1,.,./.,b9,.,w10 w"
    assert after(middle, "b3c2") == f"{EMPTY}/{EMPTY}/.,.,b10,./.,.,.,w10 w"


def test_empty_run_is_illegal() -> None:
    blocked = f"b10,w4,.,./{EMPTY}/{EMPTY}/.,.,.,w6 b"
    assert legal(blocked) == {"a4a3", "a4b3"}
    with pytest.raises(IllegalMove, match="a4b4 is not legal here; legal: a4a3 a4b3") as caught:
        after(blocked, "a4b4")
    assert caught.value.legal == ("a4a3", "a4b3")


def test_side_without_a_legal_move_loses() -> None:
    game = create("conga")
    stuck = game.load("b10,w1,.,./w1,w1,.,./.,.,.,./.,.,.,w7 b")
    outcome = game.outcome(stuck)
    assert game.moves(stuck) == ()
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.result, outcome.scores) == (1, "no_moves", "0-1", None)
    assert game.outcome(game.load("b10,w1,.,./w1,w1,.,./.,.,.,./.,.,.,w7 w")) is None


@pytest.mark.parametrize("stones", [1, 2, 10, 14, 15])
def test_d4_can_hold_any_number_of_stones(stones: int) -> None:
    game = create("conga", {"stones": stones})
    for there in range(1, stones + 1):
        elsewhere = f"b{stones - there}" if there < stones else "."
        text = f".,.,.,b{there}/{EMPTY}/{EMPTY}/{elsewhere},.,.,w{stones} b"
        state = game.load(text)
        assert game.dump(state) == text
        assert game.draw(state).rows[0][3] is not None
        assert {move for move in game.legal(state) if move.startswith("d4")} == {"d4c4", "d4c3", "d4d3"}
        assert sum_of(after(text, "d4c3", stones)) == 2 * stones


def sum_of(position: str) -> int:
    return sum(int(cell[1:]) for row in position.split()[0].split("/") for cell in row.split(",") if cell != ".")


def test_moves_from_d4() -> None:
    assert after(f".,.,.,b10/{EMPTY}/{EMPTY}/.,.,.,w10 b", "d4c4") == f"b7,b2,b1,./{EMPTY}/{EMPTY}/.,.,.,w10 w"
    assert after(f".,.,.,b10/{EMPTY}/{EMPTY}/.,.,.,w10 b", "d4d3") == f"{EMPTY}/.,.,.,b1/.,.,.,b9/.,.,.,w10 w"
    assert after(f".,.,.,b15/{EMPTY}/{EMPTY}/w15,.,.,. b", "d4c3", 15) == f"{EMPTY}/.,.,b1,./.,b14,.,./w15,.,.,. w"
    assert after(f".,.,.,w1/{EMPTY}/{EMPTY}/b1,.,.,. w", "d4c3", 1) == f"{EMPTY}/.,.,w1,./{EMPTY}/b1,.,.,. b"


def test_d4_is_free_when_empty_and_blocks_when_held() -> None:
    assert "c4d4" in legal(f".,.,b15,./{EMPTY}/{EMPTY}/w15,.,.,. b", 15)
    assert "c4d4" not in legal(f".,.,b15,w1/{EMPTY}/{EMPTY}/w14,.,.,. b", 15)
    assert after(f"b15,.,.,w15/{EMPTY}/{EMPTY}/{EMPTY} b", "a4b4", 15) == f".,b1,b14,w15/{EMPTY}/{EMPTY}/{EMPTY} w"


def test_evaluations_at_the_start() -> None:
    game = create("conga")
    values = {name: game.evaluate(name, game.start(), 0) for name in game.evaluations}
    assert values == {"hfunc0": -3, "hfunc1": 0, "move": 0, "neighbour": -3, "move+neighbour": -3}


def test_evaluations_of_both_sides_have_known_values() -> None:
    game = create("conga")
    state = game.load(".,.,.,./b2,w3,.,./w1,.,w4,./b7,.,b1,w2 b")
    names = ("hfunc0", "hfunc1", "neighbour", "move+neighbour")
    assert [game.evaluate(name, state, 0) for name in names] == [-19, -11, -14, -25]
    assert [game.evaluate(name, state, 1) for name in names] == [-8, 11, -3, 8]


def test_neighbour_evaluation_includes_d4() -> None:
    game = create("conga")
    state = game.load(f".,.,b4,w10/{EMPTY}/{EMPTY}/b6,.,.,. b")
    assert game.evaluate("neighbour", state, 0) == 1 - 1 - 1
    assert game.evaluate("neighbour", state, 1) == (-5 + 2 * 1) + (-3)


@pytest.mark.parametrize(
    "text", ["a4", "a4b", "a4c4", "a4a4", "a4d4", "e4e3", "a5a4", "A4B3", "a4-b3", "a4b33", "a1d4"]
)
def test_invalid_move_texts_are_rejected(text: str) -> None:
    game = create("conga")
    with pytest.raises(
        InvalidNotation, match="expected the square that the stones leave and the first square they enter"
    ):
        game.parse(game.start(), text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not have the form"),
        ("b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10", "does not have the form"),
        ("b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 x", "does not have the form"),
        ("b10,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "does not have the form"),
        ("b10,.,.,./.,.,.,./.,.,.,w10 b", "does not have the form"),
        ("b9,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "black has 9 stones, but the option stones is 10"),
        ("b10,.,.,./.,.,.,./.,.,.,./.,.,w1,w10 b", "white has 11 stones, but the option stones is 10"),
        ("b0,b10,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a cell must be . or b or w followed by 1 to 15 stones, not 'b0'"),
        ("b16,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a cell must be . or b or w followed by 1 to 15 stones, not 'b16'"),
        ("x10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a cell must be . or b or w"),
        (f"b{'9' * 5000},.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a cell must be . or b or w"),
        ("b１,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b", "a cell must be . or b or w"),
    ],
)
def test_invalid_positions_are_rejected(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match="not a position of conga: ") as caught:
        create("conga").load(text)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 250
