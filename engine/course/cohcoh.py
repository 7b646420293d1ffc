"""The n-k-coh-coh board of the course: n * n characters, row by row from the top, without the side to move.

White moves first. So white is to move if both sides have equally many marbles, black if white has one more. See
docs/rules.md, n-k-coh-coh.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

from engine.errors import InvalidPosition, shorten
from engine.game import State
from engine.games.cohcoh import CohCoh


def read_board(n: int, k: int, board: str) -> tuple[CohCoh, State]:
    """Return the game and the state of a board. Raises InvalidPosition, or InvalidOption for a bad n or k."""
    game = CohCoh({"n": n, "k": k})
    return game, game.load(f"{board} {side_to_move(n, board)}")


def side_to_move(n: int, board: str) -> str:
    """Return w or b. Raises InvalidPosition if the board has a wrong size, a wrong character or too many marbles."""
    for cell, mark in enumerate(board):
        if mark not in "wb.":
            raise InvalidPosition(f"the board has {shorten(mark)!r} in cell {cell}: expected only w, b and .")
    if len(board) != n * n:
        raise InvalidPosition(f"the board has {len(board)} characters: expected {n * n}, {n} rows of {n}")
    white, black = board.count("w"), board.count("b")
    if white - black not in (0, 1):
        raise InvalidPosition(
            f"the board has {white} white and {black} black marbles: expected as many white as black, or one more"
        )
    return "wb"[white - black]


def write_board(game: CohCoh, state: State) -> str:
    return game.dump(state).partition(" ")[0]


def successors(board: str) -> list[str]:
    """Return the boards after one move of the side to move that differ under symmetry, in the order of the cells.

    Two boards are the same under symmetry if one of the eight turns and reflections of the square turns one into the
    other. Of such boards the first is returned. Raises InvalidPosition if the board is not valid.
    """
    n = isqrt(len(board))
    mark = side_to_move(n, board)
    found: dict[str, str] = {}
    for cell in (cell for cell, content in enumerate(board) if content == "."):
        after = board[:cell] + mark + board[cell + 1 :]
        found.setdefault(min(symmetries(after, n)), after)
    return list(found.values())


def symmetries(board: str, n: int) -> Iterator[str]:
    """Yield the eight turns and reflections of a board."""
    rows = [board[start : start + n] for start in range(0, n * n, n)]
    for _ in range(4):
        yield "".join(rows)
        yield "".join(row[::-1] for row in rows)
        rows = ["".join(column) for column in zip(*reversed(rows), strict=True)]
