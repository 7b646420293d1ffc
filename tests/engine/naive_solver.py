"""Exact values by exhaustive search over the rules of reference_rules.py, which share no code with the engine."""

from __future__ import annotations

from engine.contract.exact import TooManyPositions
from engine.game import Game
from tests.engine.reference_rules import Options, final_score, successors


class NaiveSolver:
    """Computes the values of positions for the side to move. Games in which positions repeat need a depth."""

    def __init__(self, game: Game, max_positions: int = 3000) -> None:
        self.game, self.max_positions = game, max_positions
        self.options: Options = dict(game.spec.options)
        self.known: dict[str, int] = {}

    def value(self, position: str) -> int:
        if position not in self.known:
            if len(self.known) > self.max_positions:
                raise TooManyPositions
            values = self.moves(position).values()
            self.known[position] = max(values) if values else final_score(self.game.name, self.options, position)
        return self.known[position]

    def moves(self, position: str) -> dict[str, int]:
        """Map each move to its value for the side that makes it."""
        after = self.successors(position)
        return {move: self.value(one) * (1 if one[-1] == position[-1] else -1) for move, one in after.items()}

    def forced(self, position: str, plies: int) -> int:
        """Return 1 or -1 if the side to move can force a win or must lose within this many plies, else 0."""
        after = self.successors(position)
        if not after:
            return -1
        if plies == 0:
            return 0
        worst = 1
        for one in after.values():
            worst = min(worst, self.forced(one, plies - 1))
            if worst == -1:
                break
        return -worst

    def successors(self, position: str) -> dict[str, str]:
        return successors(self.game.name, self.options, position)
