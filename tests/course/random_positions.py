"""Positions to search in the tests, reached by chance."""

from __future__ import annotations

from random import Random

from engine.game import Game, State
from engine.registry import create

SMALL: tuple[Game, ...] = (
    create("conga"),
    create("mancala", {"pits": 4, "stones": 3}),
    create("mancala", {"pits": 3, "stones": 5, "rules": "prose"}),
    create("maxconnect4"),
    create("cohcoh", {"n": 4, "k": 3}),
)


def random_position(game: Game, seed: int, plies: int) -> State:
    """The state after so many random moves, or just before the game would be over."""
    rng, state = Random(seed), game.start()
    for _ in range(plies):
        after = game.after(state, rng.choice(game.moves(state)))
        if not game.moves(after):
            break
        state = after
    return state
