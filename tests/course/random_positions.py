"""Random positions for the tests of searches."""

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
    """Return the state after `plies` random moves, or the last state before the game ends."""
    rng, state = Random(seed), game.start()
    for _ in range(plies):
        after = game.after(state, rng.choice(game.moves(state)))
        if not game.moves(after):
            break
        state = after
    return state
