"""The keyboard cursor."""

from __future__ import annotations

from client.tui.models.cursor import moved
from client.tui.render.board_picture import rotated
from engine.registry import GAMES, create


def test_arrows_reach_every_cell_in_both_orientations() -> None:
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


def test_arrows_follow_the_board_as_shown() -> None:
    board = create("conga").draw(create("conga").start())
    assert moved(board, "a4", "right") == "b4"
    assert moved(rotated(board), "a4", "left") == "b4"
    assert moved(board, "a4", "up") == moved(board, "a4", "left") == "a4"
