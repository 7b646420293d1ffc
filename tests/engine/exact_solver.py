"""Exact values by trying everything, for positions from which there is not much left to try."""

from __future__ import annotations

from engine.game import Game, Move, State
from tests.engine.variants import walk

MAX_POSITIONS = 4000  # positions below one that is looked at


class TooManyPositions(Exception):
    """More positions than a test wants to look at."""


class ExactSolver:
    """The values of positions for the side to move, both sides playing as well as can be."""

    def __init__(self, game: Game, most: int = MAX_POSITIONS) -> None:
        self.game, self.most = game, most
        self.known: dict[State, int] = {}

    def value(self, state: State) -> int:
        if state not in self.known:
            if len(self.known) > self.most:
                raise TooManyPositions
            over = self.game.rules.over(state.mine, state.rest)
            score = int(self.game.rules.score(state.mine, state.rest))
            self.known[state] = score if over else max(self.moves(state).values())
        return self.known[state]

    def moves(self, state: State) -> dict[Move, int]:
        """What each move is worth for the side that makes it."""
        after = {move: self.game.after(state, move) for move in self.game.moves(state)}
        return {move: self.value(one) * (1 if one.turn == state.turn else -1) for move, one in after.items()}


def solve_random_game(game: Game, seed: int) -> tuple[ExactSolver, list[State]]:
    """A game of random moves from its end backwards, as long as everything below a position can be tried."""
    exact, found = ExactSolver(game), []
    *states, _ = walk(game, seed, 2000)
    for state in reversed(states):
        try:
            exact.value(state)
        except TooManyPositions:
            break
        found.append(state)
    return exact, found
