"""perft: how many ways a game can go on for so many moves. The classic check that two programs know the same rules."""

from __future__ import annotations

from engine.game import Game, State


def perft(game: Game, state: State, depth: int) -> int:
    """The number of move sequences of exactly this length."""
    moves = game.moves(state)
    if depth <= 1:
        return len(moves) if depth else 1
    after = game.after
    return sum(perft(game, after(state, move), depth - 1) for move in moves)
