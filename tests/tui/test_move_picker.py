"""Picking moves by pointing at cells, in every game."""

from __future__ import annotations

import random

import pytest

from client.tui.models.move_picker import MovePicker, as_if_to_move
from engine.registry import GAMES, create


@pytest.mark.parametrize("name", GAMES)
def test_every_move_can_be_picked(name: str) -> None:
    game, rng = create(name), random.Random(1)
    state = game.start()
    for _ in range(60):
        moves = game.moves(state)
        for move in moves:
            picker = MovePicker(game, state)
            *first, last = game.path(state, move)
            assert [picker.point(cell) for cell in first] == [None] * len(first)
            assert last in picker.targets()
            assert picker.aim(last) == move
            assert picker.point(last) == move
            assert picker.picked == ()
        if not moves:
            return
        state = game.after(state, rng.choice(moves))


@pytest.mark.parametrize("form", ["{}", "h{}", "{},1-{},2", "x"])
def test_single_cell_moves_can_be_picked_in_any_notation(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("cohcoh")
    monkeypatch.setattr(type(game), "format", lambda game, state, move: form.format(move + 1, move + 1))
    picker = MovePicker(game, game.start())
    assert [picker.aim(name) for name in ("a4", "d4", "a3", "d1")] == [0, 3, 4, 15]


def test_moves_without_a_path_cannot_be_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("mancala")
    monkeypatch.setattr(type(game), "path", lambda game, state, move: ())
    picker = MovePicker(game, game.start())
    assert picker.targets() == frozenset()
    assert picker.point("B2") is None
    assert picker.picked == ()


def test_conga_previews_the_stones() -> None:
    game = create("conga")
    picker = MovePicker(game, game.start())
    assert picker.targets() == {"a4"}
    picker.point("a4")
    assert picker.targets() == {"a3", "b3", "b4"}
    move = picker.aim("b4")
    assert move is not None
    preview = picker.effect(move)
    assert {cell: preview[cell].count for cell in preview} == {"a4": 0, "b4": 1, "c4": 2, "d4": 7}


def test_maxconnect4_accepts_every_cell_of_a_column() -> None:
    game = create("maxconnect4")
    state = game.play(game.start(), game.parse(game.start(), "4"))
    picker = MovePicker(game, state)
    for cell in ("d1", "d2", "d4", "d6"):
        assert picker.aim(cell) == game.parse(state, "4")
    assert list(picker.effect(game.parse(state, "4"))) == ["d2"]
    assert picker.point("d1") == game.parse(state, "4")


def test_full_column_is_not_accepted() -> None:
    game = create("maxconnect4")
    state = game.start()
    for _ in range(6):
        state = game.play(state, game.parse(state, "4"))
    assert MovePicker(game, state).point("d3") is None


def test_columns_matter_only_where_pieces_are_dropped() -> None:
    """In coh-coh, a column may have only one free cell; pointing at its other cells must not pick it."""
    cohcoh = create("cohcoh", {"n": 3, "k": 3, "start": "wbw.bw.wb b"})
    free = {path for move in cohcoh.moves(cohcoh.start()) for path in cohcoh.path(cohcoh.start(), move)}
    board = cohcoh.draw(cohcoh.start())
    aimed = {
        cell.name for row in board.rows for cell in row if cell and MovePicker(cohcoh, cohcoh.start()).aim(cell.name)
    }
    assert aimed == free
    conga = create("conga")
    assert MovePicker(conga, conga.start()).point("a2") is None


def test_cells_can_be_unpicked() -> None:
    game = create("conga", {"start": "b5,.,.,./.,b5,.,./.,.,.,./.,.,.,w10 b"})
    picker = MovePicker(game, game.start())
    picked = []
    for cell in ("a4", "a4", "a4", "d1"):  # d1 belongs to the opponent
        assert picker.point(cell) is None
        picked.append(picker.picked)
    assert picked == [("a4",), (), ("a4",), ()]
    assert not picker.clear()
    picker.point("b3")
    assert picker.clear()


def test_premoves_are_picked_as_if_it_were_our_turn() -> None:
    game = create("cohcoh")
    state = as_if_to_move(game.start(), 1)
    assert (state.turn, game.turn(game.start())) == (1, 0)
    assert MovePicker(game, state).aim("b2") is not None
    assert as_if_to_move(game.start(), 0) == game.start()
