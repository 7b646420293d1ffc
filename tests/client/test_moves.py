"""Words about moves: they name cells as the board shows them."""

from __future__ import annotations

import pytest

from client.presentation.moves import cell_label, listed, preview_text, refusal_text
from engine.registry import GAMES, create


@pytest.mark.parametrize(
    ("game", "move", "text"),
    [
        ("conga", "a4b4", "a4b4: 1 to b4, 2 to c4, 7 to d4."),
        ("conga-late", "c2c3", "c2c3: 1 to c3, 1 to c4."),
        ("mancala", "3", "Pit 3 ends in your store: you move again."),
        ("mancala", "1", "Pit 1 ends in pit 5."),
        ("maxconnect4", "4", "Column 4: your disc falls to the first row."),
        ("cohcoh", "b2", "b2."),
    ],
)
def test_preview_says_what_a_move_does(game: str, move: str, text: str) -> None:
    start = {"start": ".,.,.,./.,.,.,./.,.,b2,./b8,.,.,w10 b"} if game == "conga-late" else {}
    rules = create(game.removesuffix("-late"), start)
    state = rules.start()
    assert preview_text(rules, state, rules.parse(state, move)) == text


def test_preview_warns_of_the_end() -> None:
    rules = create("cohcoh", {"n": 3, "k": 3, "start": "ww.bb.... w"})
    assert preview_text(rules, rules.start(), rules.parse(rules.start(), "c3")) == "c3. The game ends: you lose."
    shared = preview_text(rules, rules.start(), rules.parse(rules.start(), "c3"), ("ann", "ben"))
    assert shared == "c3. The game ends: ben wins."


@pytest.mark.parametrize("game", GAMES)
def test_every_cell_has_a_label_of_the_board(game: str) -> None:
    rules = create(game)
    board = rules.draw(rules.start())
    labels = {cell_label(rules, board, cell.name) for cell in board.cells()}
    if game == "mancala":
        assert labels == {*(f"pit {number}" for number in range(1, 7)), "the store"}
    assert all(label == label.strip() for label in labels)


@pytest.mark.parametrize(
    ("game", "start", "picked", "cell", "text"),
    [
        ("conga", "", ["a4"], "d1", "a4 cannot go to d1. Try a3 or b4."),
        ("conga", "", [], "b2", "b2 is empty. Choose one of your stones: a3 or b4."),
        ("mancala", "4,4,4,4,4,4/0,8,4,4,4,4 0,0 1", [], "B2", "That pit is empty. Choose a3 or b4."),
        ("mancala", "", [], "A2", "That pit is not yours. Choose a3 or b4."),
    ],
)
def test_refusal_says_what_to_do(game: str, start: str, picked: list[str], cell: str, text: str) -> None:
    rules = create(game, {"start": start} if start else {})
    state = rules.start()
    targets = ["a3", "b4"] if game == "conga" else ["B3", "B4"]
    expected = text if game == "conga" else text.replace("a3", "2").replace("b4", "3")
    assert refusal_text(rules, state, picked, cell, targets) == expected


def test_lists_are_sentences() -> None:
    assert (listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])) == ("a", "a or b", "a, b or c")
