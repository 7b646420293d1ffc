"""Chance that can be repeated: with a seed it depends on the position alone, and not on what was played before."""

from __future__ import annotations

from random import Random

from engine.game import Game, State


class PositionRng:
    def __init__(self, seed: int | None = None) -> None:
        self.rng = Random(seed)
        self._seed = seed

    def reseed(self, game: Game, state: State, ply: int) -> None:
        """Before a move: a bot that was started anew, or plays many games at a time, goes on as it would have."""
        if self._seed is not None:
            self.rng.seed(f"{self._seed} {ply} {game.dump(state)}")
