"""perft: count the move sequences of a given length, the usual check that two programs agree on the rules."""

from __future__ import annotations

from engine.game import Game, State


def perft(game: Game, state: State, depth: int) -> int:
    """Return the number of move sequences of exactly this length."""
    moves = game.moves(state)
    if depth <= 1:
        return len(moves) if depth else 1
    after = game.after
    return sum(perft(game, after(state, move), depth - 1) for move in moves)
