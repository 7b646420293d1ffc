"""Positions for checks: those of random games, with usual and extreme options."""

from __future__ import annotations

import random
from collections.abc import Iterator

from engine.game import Game, State
from engine.options import OptionValue

MAX_PLIES = 250  # longer games are cut off


def extremes(game: type[Game]) -> list[dict[str, OptionValue]]:
    """Return the smallest and the largest options of a game, unless they are pointless."""
    spans = {
        option.name: (option.low, option.high)
        for option in game.options
        if option.low is not None and option.high is not None
    }
    ends: list[dict[str, OptionValue]] = [{option: span[end] for option, span in spans.items()} for end in (0, 1)]
    return [options for options in ends if options and not game(options).pointless()]


def walk(game: Game, seed: int, plies: int = MAX_PLIES) -> Iterator[State]:
    """Yield the states of a random game, until it is over or `plies` moves were played."""
    rng, state = random.Random(seed), game.start()
    yield state
    for _ in range(plies):
        moves = game.moves(state)
        if not moves:
            return
        state = game.play(state, rng.choice(moves))
        yield state


def positions(game: Game, games: int) -> Iterator[State]:
    """Yield the states of several random games."""
    for seed in range(games):
        yield from walk(game, seed)
