"""Exact values by exhaustive search, for positions near the end of a game."""

from __future__ import annotations

from engine.contract.positions import walk
from engine.game import Game, Move, State

MAX_POSITIONS = 4000  # default limit of an exhaustive search


class TooManyPositions(Exception):
    """The search has visited more positions than allowed."""


class ExactSolver:
    """Computes the values of positions for the side to move under best play."""

    def __init__(self, game: Game, max_positions: int = MAX_POSITIONS) -> None:
        self.game, self.max_positions = game, max_positions
        self.known: dict[State, int] = {}

    def value(self, state: State) -> int:
        if state not in self.known:
            if len(self.known) > self.max_positions:
                raise TooManyPositions
            over = self.game.rules.over(state.mine, state.rest)
            score = int(self.game.rules.score(state.mine, state.rest))
            self.known[state] = score if over else max(self.moves(state).values())
        return self.known[state]

    def moves(self, state: State) -> dict[Move, int]:
        """Map each move to its value for the side that makes it."""
        after = {move: self.game.after(state, move) for move in self.game.moves(state)}
        return {move: self.value(one) * (1 if one.turn == state.turn else -1) for move, one in after.items()}


def solve_random_game(game: Game, seed: int) -> tuple[ExactSolver, list[State]]:
    """Play a random game and return the solver and the late states that it could solve, last state first."""
    exact, found = ExactSolver(game), []
    *states, _ = walk(game, seed, 2000)
    for state in reversed(states):
        try:
            exact.value(state)
        except TooManyPositions:
            break
        found.append(state)
    return exact, found
