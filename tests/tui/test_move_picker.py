"""Pointing at cells becomes moves, for every game alike."""

from __future__ import annotations

import random

import pytest

from client.tui.models.cursor import moved
from client.tui.models.move_picker import MovePicker, as_if_to_move
from client.tui.render.picture import rotated
from engine.registry import GAMES, create


@pytest.mark.parametrize("name", GAMES)
def test_every_move_of_a_game_can_be_made_by_pointing(name: str) -> None:
    game, rng = create(name), random.Random(1)
    state = game.start()
    for _ in range(60):
        moves = game.moves(state)
        for move in moves:
            picking = MovePicker(game, state)
            *first, last = game.path(state, move)
            assert [picking.point(cell) for cell in first] == [None] * len(first)
            assert last in picking.targets()
            assert picking.aim(last) == move
            assert picking.point(last) == move
            assert picking.picked == ()
        if not moves:
            return
        state = game.after(state, rng.choice(moves))


@pytest.mark.parametrize("form", ["{}", "h{}", "{},1-{},2", "x"])
def test_a_cell_that_a_move_alone_changes_is_pointed_at_however_the_move_is_written(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = create("cohcoh")
    monkeypatch.setattr(type(game), "format", lambda game, state, move: form.format(move + 1, move + 1))
    picking = MovePicker(game, game.start())
    assert [picking.aim(name) for name in ("a4", "d4", "a3", "d1")] == [0, 3, 4, 15]


def test_moves_that_nobody_can_point_at_are_for_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = create("mancala")
    monkeypatch.setattr(type(game), "format", lambda game, state, move: f"sow {move + 1}")
    picking = MovePicker(game, game.start())
    assert {game.path(game.start(), move) for move in game.moves(game.start())} == {()}
    assert picking.targets() == frozenset()
    assert picking.point("B2") is None
    assert picking.picked == ()


def test_conga_shows_where_the_stones_will_fall() -> None:
    game = create("conga")
    picking = MovePicker(game, game.start())
    assert picking.targets() == {"a4"}
    picking.point("a4")
    assert picking.targets() == {"a3", "b3", "b4"}
    preview = picking.preview("b4")
    assert {cell: preview[cell].count for cell in preview} == {"a4": 0, "b4": 1, "c4": 2, "d4": 7}


def test_mancala_shows_the_last_pit() -> None:
    game = create("mancala")
    picking = MovePicker(game, game.start())
    assert picking.end_of("B4") == "store 1"
    assert picking.end_of("B2") == "B6"
    assert picking.end_of("A2") is None


def test_maxconnect4_shows_the_landing_cell_for_the_whole_column() -> None:
    game = create("maxconnect4")
    state = game.play(game.start(), game.parse(game.start(), "4"))
    picking = MovePicker(game, state)
    for cell in ("d1", "d2", "d4", "d6"):
        assert picking.aim(cell) == game.parse(state, "4")
        assert list(picking.preview(cell)) == ["d2"]
        assert picking.end_of(cell) == "d2"
    assert picking.point("d1") == game.parse(state, "4")


def test_a_column_that_is_full_takes_nothing() -> None:
    game = create("maxconnect4")
    state = game.start()
    for _ in range(6):
        state = game.play(state, game.parse(state, "4"))
    assert MovePicker(game, state).point("d3") is None


def test_elsewhere_a_cell_is_only_itself() -> None:
    """The last free cells of coh-coh may be one a column, and a pit of Mancala has one opposite."""
    cohcoh = create("cohcoh", {"n": 3, "k": 3, "start": "wbw.bw.wb b"})
    free = {path for move in cohcoh.moves(cohcoh.start()) for path in cohcoh.path(cohcoh.start(), move)}
    board = cohcoh.draw(cohcoh.start())
    aimed = {
        cell.name for row in board.rows for cell in row if cell and MovePicker(cohcoh, cohcoh.start()).aim(cell.name)
    }
    assert aimed == free
    conga = create("conga")
    assert MovePicker(conga, conga.start()).point("a2") is None


def test_a_cell_can_be_let_go_and_another_taken() -> None:
    game = create("conga", {"start": "b5,.,.,./.,b5,.,./.,.,.,./.,.,.,w10 b"})
    picking = MovePicker(game, game.start())
    picked = []
    for cell in ("a4", "a4", "a4", "d1"):  # the last is the opponent's and leads nowhere
        assert picking.point(cell) is None
        picked.append(picking.picked)
    assert picked == [("a4",), (), ("a4",), ()]
    assert not picking.drop()
    picking.point("b3")
    assert picking.drop()


def test_a_move_in_advance_is_chosen_as_if_it_were_our_turn() -> None:
    game = create("cohcoh")
    state = as_if_to_move(game.start(), 1)
    assert (state.turn, game.turn(game.start())) == (1, 0)
    assert MovePicker(game, state).aim("b2") is not None
    assert as_if_to_move(game.start(), 0) == game.start()


def test_the_arrows_reach_every_cell_both_ways_round() -> None:
    for name in GAMES:
        board = create(name).draw(create(name).start())
        for shown in (board, rotated(board)):
            cells = {cell.name for row in shown.rows for cell in row if cell is not None}
            seen, todo = set(), [moved(shown, None, "up")]
            while todo:
                cell = todo.pop()
                if cell is not None and cell not in seen:
                    seen.add(cell)
                    todo += [moved(shown, cell, key) for key in ("up", "down", "left", "right")]
            assert seen == cells


def test_arrows_follow_the_board_as_it_is_shown() -> None:
    board = create("conga").draw(create("conga").start())
    assert moved(board, "a4", "right") == "b4"
    assert moved(rotated(board), "a4", "left") == "b4"
    assert moved(board, "a4", "up") == "a1"
