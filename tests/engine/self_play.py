"""Self-play games with mistakes, as records."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.game import Game
from engine.record import Played, Record, ending
from engine.search import Limits, Thinker

NODES = 150


def self_play(
    game: Game, seed: int, shares: tuple[float, float] = (0.3, 0.3), max_plies: int = 90, compiled: bool = False
) -> Record:
    """Play a game in which each side searches a little and makes a share of its moves at random."""
    rng, thinker = random.Random(seed), Thinker(game, 1, compiled)
    states, moves = [game.start()], list[Played]()
    while (outcome := ending(game, states)) is None and len(moves) < max_plies:
        state = states[-1]
        by_chance = rng.random() < shares[state.turn]
        found = None if by_chance else thinker.think(state, Limits(nodes=NODES), past=states[:-1]).move
        move = rng.choice(game.moves(state)) if found is None else found
        moves.append(Played(game.format(state, move)))
        states.append(game.after(state, move))
    record = Record(game.name, game.spec.options, moves=tuple(moves))
    return record if outcome is None else replace(record, result=outcome.result, reason=outcome.reason)
