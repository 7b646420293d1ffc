"""Mancala: hand-made cases for every rule in docs/rules.md, for each profile."""

from __future__ import annotations

from functools import cache

import pytest

from engine.errors import IllegalMove, InvalidNotation, InvalidOption, InvalidPosition
from engine.game import Game, State
from engine.registry import create

PROFILES = ("course", "prose", "standard")
every_profile = pytest.mark.parametrize("rules", PROFILES)


def after(position: str, *columns: str, rules: str = "course") -> str:
    game: Game = create("mancala", {"start": position, "rules": rules})
    state = game.start()
    for column in columns:
        state = game.play(state, game.parse(state, column))
    return game.dump(state)


def test_start_position_and_defaults() -> None:
    game = create("mancala")
    assert game.dump(game.start()) == "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"
    assert game.legal(game.start()) == ("1", "2", "3", "4", "5", "6")
    assert game.spec.options == {"pits": 6, "stones": 4, "rules": "course"}
    small = create("mancala", {"pits": 2, "stones": 3})
    assert small.dump(small.start()) == "3,3/3,3 0,0 1"


@every_profile
def test_stones_are_sown_counter_clockwise(rules: str) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"
    assert after(start, "1", rules=rules) == "4,4,4,4,4,4/0,5,5,5,5,4 0,0 2"
    assert after(start, "6", rules=rules) == "4,4,4,5,5,5/4,4,4,4,4,0 0,1 2"


@every_profile
def test_columns_are_numbered_from_the_left_for_both_sides(rules: str) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"
    assert after(start, "1", "1", rules=rules) == "0,4,4,4,4,4/1,6,6,5,5,4 1,0 1"
    assert after(start, "1", "6", rules=rules) == "4,5,5,5,5,0/0,5,5,5,5,4 0,0 1"


@every_profile
def test_last_stone_in_own_store_gives_an_extra_turn(rules: str) -> None:
    start = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"
    assert after(start, "3", rules=rules) == "4,4,4,4,4,4/4,4,0,5,5,5 0,1 1"
    assert after(start, "3", "6", rules=rules) == "4,4,5,5,5,5/4,4,0,5,5,0 0,2 2"
    assert after(start, "1", "4", rules=rules) == "5,5,5,0,4,4/0,5,5,5,5,4 1,0 2"


@every_profile
def test_opponent_store_is_skipped(rules: str) -> None:
    assert after("1,1,1,1,1,1/2,0,0,0,0,8 3,4 1", "6", rules=rules) == "2,2,2,2,2,2/3,0,0,0,0,0 3,5 2"
    assert after("8,0,0,0,0,2/1,1,1,1,1,1 3,4 2", "1", rules=rules) == "0,0,0,0,0,3/2,2,2,2,2,2 4,4 1"


@every_profile
def test_last_stone_in_own_empty_pit_captures_the_opposite_stones(rules: str) -> None:
    assert after("4,5,4,4,4,4/1,0,4,4,4,4 0,0 1", "1", rules=rules) == "4,0,4,4,4,4/0,0,4,4,4,4 0,6 2"
    assert after("0,1,4,4,4,4/7,4,4,4,4,4 0,0 2", "2", rules=rules) == "0,0,4,4,4,4/0,4,4,4,4,4 8,0 1"


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("course", "4,0,4,4,4,4/0,0,4,4,4,4 0,1 2"),
        ("prose", "4,0,4,4,4,4/0,0,4,4,4,4 0,1 2"),
        ("standard", "4,0,4,4,4,4/0,1,4,4,4,4 0,0 2"),
    ],
)
def test_capture_opposite_an_empty_pit_depends_on_the_profile(rules: str, expected: str) -> None:
    assert after("4,0,4,4,4,4/1,0,4,4,4,4 0,0 1", "1", rules=rules) == expected


@every_profile
def test_last_stone_in_a_filled_pit_or_an_opponent_pit_captures_nothing(rules: str) -> None:
    assert after("4,4,4,4,4,4/1,1,4,4,4,4 0,0 1", "1", rules=rules) == "4,4,4,4,4,4/0,2,4,4,4,4 0,0 2"
    assert after("4,4,4,4,4,0/4,4,4,4,4,2 0,0 1", "6", rules=rules) == "4,4,4,4,4,1/4,4,4,4,4,0 0,1 2"


@every_profile
def test_full_lap_into_the_origin_captures(rules: str) -> None:
    assert after("4,0,0,0,0,0/13,0,0,0,0,0 0,0 1", "1", rules=rules) == "0,1,1,1,1,1/0,1,1,1,1,1 0,7 2"
    assert after("0,0,9,0/0,3,0,0 0,0 2", "3", rules=rules) == "1,1,0,1/1,4,0,1 3,0 1"


@every_profile
def test_two_laps_into_the_origin_do_not_capture(rules: str) -> None:
    assert after("1,0,0,0,0,0/26,0,0,0,0,0 0,0 1", "1", rules=rules) == "3,2,2,2,2,2/2,2,2,2,2,2 0,2 2"


@every_profile
def test_pit_of_1000_stones_is_sown_in_laps(rules: str) -> None:
    game = create("mancala", {"pits": 2, "stones": 1000, "rules": rules})
    state = game.play(game.start(), game.parse(game.start(), "1"))  # 200 laps of five places
    assert game.dump(state) == "1200,1200/200,1200 0,200 2"
    assert game.load(game.dump(state)) == state


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("course", "0,0,0/0,0,0 9,4 2"),  # over at once: 1 + 2 + 4 and the 2 in the store
        ("prose", "1,2,4/0,0,0 2,4 2"),  # player 2 can move, so the game goes on
        ("standard", "0,0,0/0,0,0 9,4 2"),
    ],
)
def test_emptying_own_row_ends_the_game_depending_on_the_profile(rules: str, expected: str) -> None:
    assert after("1,2,3/0,0,2 2,3 1", "3", rules=rules) == expected


def test_prose_game_ends_when_the_side_to_move_has_no_stone() -> None:
    assert after("1,2,3/0,0,2 2,3 1", "3", "3", rules="prose") == "2,3,0/1,0,0 3,4 1"
    assert after("0,0,0/2,0,1 5,5 1", "3", rules="prose") == "0,0,0/2,0,0 5,6 1"
    assert after("0,0,1/0,0,1 5,5 1", "3", rules="prose") == "0,0,0/0,0,0 6,6 1"


@every_profile
def test_capture_of_the_last_opponent_stones_ends_the_game(rules: str) -> None:
    assert after("0,3,0/1,0,2 2,3 1", "1", rules=rules) == "0,0,0/0,0,0 2,9 2"


@every_profile
def test_extra_turn_without_stones_ends_the_game(rules: str) -> None:
    game = create("mancala", {"start": "1,2,3/0,0,1 2,3 1", "rules": rules})
    state = game.play(game.start(), game.parse(game.start(), "3"))
    outcome = game.outcome(state)
    assert game.dump(state) == "0,0,0/0,0,0 8,4 1"
    assert outcome is not None
    assert (outcome.winner, outcome.reason, outcome.scores) == (1, "score", (4, 8))


def test_side_with_most_stones_wins() -> None:
    results = {"0,0/0,0 3,5 1": "1-0", "0,0/0,0 5,3 1": "0-1", "0,0/0,0 4,4 2": "1/2-1/2"}
    for position, result in results.items():
        game = create("mancala", {"start": position})
        outcome = game.outcome(game.start())
        assert outcome is not None
        assert outcome.result == result


def test_finished_position_counts_stones_left_in_rows() -> None:
    course = create("mancala", {"start": "0,0,0/1,2,3 4,5 1"})
    ended = course.outcome(course.start())
    assert ended is not None
    assert ended.scores == (11, 4)
    prose = create("mancala", {"start": "0,0,0/1,2,3 4,5 1", "rules": "prose"})
    assert prose.outcome(prose.start()) is None
    assert prose.legal(prose.start()) == ("1", "2", "3")


def test_stores_evaluation_is_the_difference_of_the_stores() -> None:
    game = create("mancala", {"start": "5,2,0,2,0,6/1,0,0,4,2,2 11,13 2"})
    assert [game.evaluate("stores", game.start(), side) for side in (0, 1)] == [2, -2]


def value(game: Game) -> int:
    """Return the margin of the first player under best play."""

    @cache
    def best(state: State) -> int:
        if game.outcome(state) is not None:
            return int(game.rules.score(state.mine, state.rest))
        after = [game.after(state, move) for move in game.moves(state)]
        return max(best(one) if one.turn == state.turn else -best(one) for one in after)

    return best(game.start())


@pytest.mark.parametrize(
    ("pits", "stones", "margin"),
    [
        (4, 1, 2),
        (5, 1, 0),
        *(pytest.param(*case, marks=pytest.mark.long) for case in ((4, 2, 6), (6, 1, 2))),
    ],
)
def test_game_values_published_in_solving_kalah(pits: int, stones: int, margin: int) -> None:
    assert value(create("mancala", {"pits": pits, "stones": stones})) == margin


def test_empty_pit_is_illegal_and_unknown_column_is_invalid() -> None:
    game = create("mancala", {"start": "1,2,3/0,0,2 2,3 1"})
    with pytest.raises(IllegalMove, match="1 is not legal here; legal: 3"):
        game.parse(game.start(), "1")
    for text in ("0", "4", "-1", "1.0", "a", "1 2", "+1", "９"):
        with pytest.raises(InvalidNotation, match="expected a column counted from the left, like 3"):
            game.parse(game.start(), text)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"pits": 0}, "option pits of mancala must be a whole number from 1 to 10, not 0"),
        ({"pits": 11}, "option pits of mancala must be a whole number from 1 to 10, not 11"),
        ({"stones": 0}, "option stones of mancala must be a whole number from 1 to 1000, not 0"),
        ({"stones": "many"}, "option stones of mancala must be a whole number from 1 to 1000, not 'many'"),
        ({"rules": "house"}, "option rules of mancala must be one of course, prose, standard, not 'house'"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, object], why: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        create("mancala", options)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not two rows of 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4 0,0 1", "is not two rows of 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0 1", "is not two rows of 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0", "is not two rows of 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 3", "is not two rows of 6 pits"),
        ("4,4,4,4,4,4/4,4,4,4,4,x 0,0 1", "a pit or store must be a number from 0 to 100000"),
        ("4,4,4,4,4,4/4,4,4,4,4,-4 0,0 1", "a pit or store must be a number from 0 to 100000"),
        ("4,4,4,4,4,4/4,4,4,4,4,100001 0,0 1", "a pit or store must be a number from 0 to 100000"),
        ("4,4,4,4,4,4/4,4,4,4,4,99999 0,0 1", "100043 stones are too many: the limit is 100000"),
        ("4,4,4,4,4,4/4,4,4,4,4,5 0,0 1", "the stones add up to 49, but this game has 48"),
    ],
)
def test_invalid_positions_are_rejected(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match="not a position of mancala: ") as caught:
        create("mancala").load(text)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("start", "text", "cell"),
    [
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 1", "3", "store 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 1", "1", "B6"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 1", "6", "A5"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 2", "4", "store 2"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 2", "1", "B4"),
        ("4,4,4,4,4,4/13,4,4,4,4,4 0,0 1", "1", "B2"),
    ],
)
def test_end_of_is_the_place_of_the_last_stone(start: str, text: str, cell: str) -> None:
    game = create("mancala", {"start": start})
    state = game.start()
    move = game.parse(state, text)
    assert game.end_of(state, move) == cell
    assert len(game.path(state, move)) == 1
