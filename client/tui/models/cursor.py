"""The keyboard cursor on a board."""

from __future__ import annotations

from engine.board import Board

STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def moved(board: Board, name: str | None, key: str) -> str | None:
    """Return the next cell in the direction of an arrow key, on the board as shown. At an edge it is the same cell."""
    places = {
        cell.name: (row, column) for row, line in enumerate(board.rows) for column, cell in enumerate(line) if cell
    }
    if name not in places:
        return next(iter(places), None)
    (row, column), (down, right) = places[name], STEPS[key]
    if not 0 <= row + down < len(board.rows):
        return name
    line = [at for at, cell in enumerate(board.rows[row + down]) if cell is not None]
    if right:
        next_column = line.index(column) + right
        if not 0 <= next_column < len(line):
            return name
        column = line[next_column]
    cell = board.rows[row + down][min(line, key=lambda at: abs(at - column))]
    return name if cell is None else cell.name
