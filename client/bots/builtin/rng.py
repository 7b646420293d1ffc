"""Repeatable random numbers: with a seed they depend only on the position."""

from __future__ import annotations

from random import Random

from engine.game import Game, State


class PositionRng:
    """A random generator for one bot. `random` is the generator to draw from."""

    def __init__(self, seed: int | None = None) -> None:
        self.random = Random(seed)
        self._seed = seed

    def reseed(self, game: Game, state: State, ply: int) -> None:
        """Seed the generator from the position before a move. Do nothing without a seed.

        A restarted bot, or one that plays several games at once, thus makes the same choices.
        """
        if self._seed is not None:
            self.random.seed(f"{self._seed} {ply} {game.dump(state)}")
