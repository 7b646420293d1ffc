"""Games of the search against itself, in which it makes mistakes: positions for puzzles."""

from __future__ import annotations

import random

from engine.game import Game, State
from engine.record import ending
from engine.search import Limits, Thinker

NODES = 1_000
OPENING_PLIES = 4
RANDOM_SHARES = (0.0, 0.25, 0.6)  # of the moves of a side; decisive games have more forced wins
MAX_GAME_PLIES = 120


def self_play(game: Game, rng: random.Random, compiled: bool | None = None) -> list[State]:
    """Play a game from a random opening and return its states. Each side makes a share of its moves at random."""
    thinker, states = Thinker(game, 1, compiled), [game.start()]
    shares = rng.choice(RANDOM_SHARES), rng.choice(RANDOM_SHARES)
    while ending(game, states) is None and len(states) <= MAX_GAME_PLIES:
        state = states[-1]
        by_chance = len(states) <= OPENING_PLIES or rng.random() < shares[state.turn]
        found = None if by_chance else thinker.think(state, Limits(nodes=NODES), past=states[:-1]).move
        states.append(game.after(state, rng.choice(game.moves(state)) if found is None else found))
    return states
