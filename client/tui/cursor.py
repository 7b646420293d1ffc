"""The square under the keyboard, moved by arrows over whatever cells a board has."""

from __future__ import annotations

from engine.board import Board

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def moved(board: Board, name: str | None, key: str) -> str | None:
    """The next cell that way, on the board as it is shown; over the edge is the other side."""
    places = {
        cell.name: (row, column) for row, line in enumerate(board.rows) for column, cell in enumerate(line) if cell
    }
    if name not in places:
        return next(iter(places), None)
    (row, column), (down, right) = places[name], STEPS[key]
    height, width = len(board.rows), len(board.files)
    for _ in range(max(height, width)):
        row, column = (row + down) % height, (column + right) % width
        cell = board.rows[row][column]
        if cell is not None:
            return cell.name
    return name
