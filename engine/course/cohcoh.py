"""The n-k-coh-coh board of the course: n * n characters, row by row from the top, without the side to move.

White moves first. So white is to move if both sides have equally many marbles, black if white has one more. See
docs/rules.md, n-k-coh-coh.
"""

from __future__ import annotations

from engine.errors import InvalidPosition, shorten
from engine.game import State
from engine.games.cohcoh import CohCoh


def read_board(n: int, k: int, board: str) -> tuple[CohCoh, State]:
    """Return the game and the state of a board. Raises InvalidPosition, or InvalidOption for a bad n or k."""
    game = CohCoh({"n": n, "k": k})
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
    return game, game.load(f"{board} {'wb'[white - black]}")


def write_board(game: CohCoh, state: State) -> str:
    return game.dump(state).partition(" ")[0]
