"""Options, the registry and the board."""

from __future__ import annotations

import pytest

from engine.board import Board, Cell
from engine.errors import InvalidOption, InvalidPosition
from engine.registry import GAMES, create


def test_the_four_games_are_registered() -> None:
    assert {"conga", "mancala", "maxconnect4", "cohcoh"} <= set(GAMES)


def test_equal_options_give_the_same_game() -> None:
    assert create("conga", {"stones": 3}) is create("conga", {"stones": 3})
    assert create("conga") is create("conga", {})


def test_numbers_can_be_given_as_text() -> None:
    assert create("mancala", {"pits": "4", "stones": "3"}).spec == create("mancala", {"pits": 4, "stones": 3}).spec


@pytest.mark.parametrize("value", [True, False, None, 1.0, "1.0", "１", "", "0x1", "1" * 5000, 16, 0, -1, [1]])
def test_invalid_numbers_are_rejected(value: object) -> None:
    create("conga", {"stones": 1})  # True == 1, but True must not return this cached game
    with pytest.raises(InvalidOption, match="option stones of conga must be a whole number from 1 to 15, not "):
        create("conga", {"stones": value})


def test_unknown_games_and_options_are_rejected() -> None:
    with pytest.raises(InvalidOption, match="there is no game 'chess'; choose one of conga, mancala"):
        create("chess")
    with pytest.raises(InvalidOption, match="conga has no option 'pits'; use one of max_plies, start, stones"):
        create("conga", {"pits": 6})


def test_board_size_is_inferred_from_the_start_position() -> None:
    assert create("mancala", {"start": "1,2,3/4,5,6 0,0 1"}).spec.options["pits"] == 3
    assert create("cohcoh", {"start": ".w......b w"}).spec.options["n"] == 3
    with pytest.raises(InvalidPosition, match="is not two rows of 4 pits"):
        create("mancala", {"pits": 4, "start": "1,2,3/4,5,6 0,0 1"})
    with pytest.raises(InvalidPosition, match="a board of 4 x 4 has 16 cells, not 9"):
        create("cohcoh", {"n": 4, "start": ".w......b w"})
    with pytest.raises(InvalidOption, match="option start of conga must be text, not 5"):
        create("conga", {"start": 5})


def test_spec_lists_all_options_in_order() -> None:
    spec = create("mancala", {"rules": "prose"}).spec
    assert list(spec.options.items()) == [("pits", 6), ("stones", 4), ("rules", "prose")]
    assert "start" in create("mancala", {"start": "1,2/3,4 0,0 2"}).spec.options


def test_board_is_written_as_text() -> None:
    game = create("conga")
    assert game.draw(game.start()).text().splitlines() == [
        "4  b10   .   .   .",
        "3    .   .   .   .",
        "2    .   .   .   .",
        "1    .   .   . w10",
        "     a   b   c   d",
    ]
    mancala = create("mancala", {"pits": 2})
    assert mancala.draw(mancala.start()).text().splitlines() == ["2  0 4 4", "1    4 4 0", "     1 2"]


def test_cell_is_written_as_text() -> None:
    board = Board((), (), (), ("x", "o"), counted=False)
    assert [board.face(cell) for cell in (None, Cell("a1", None), Cell("a1", 1, 1))] == ["", ".", "o"]


def test_cell_names_in_a_text() -> None:
    row = tuple(Cell(name, None) for name in ("a1", "a12", "b1", "2,1"))
    board = Board((row,), ("1", "2", "3", "4"), ("",), ("x", "o"), counted=False)
    assert board.named("a1b1") == ("a1", "b1")
    assert board.named("a12-a1") == ("a12", "a1")
    assert board.named("b1 2,1") == ("b1", "2,1")
    assert [board.named(text) for text in ("", "a2", "a1x", "pass", "1")] == [()] * 5
