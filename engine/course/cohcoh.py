"""The n-k-coh-coh course board: n * n characters by rows from the top, and no word on whose turn it is.

White has moved first, so counting tells: as many marbles of both colours, white; one white marble more, black.
docs/rules.md, n-k-coh-coh.
"""

from __future__ import annotations

from engine.errors import InvalidPosition, shorten
from engine.game import State
from engine.games.cohcoh import CohCoh


def read_board(n: int, k: int, board: str) -> tuple[CohCoh, State]:
    """The game and the position; InvalidPosition says what is wrong with the board, InvalidOption with n or k."""
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
