"""Openings by chance: the number of an opening and the seed of the tournament say which it is."""

from __future__ import annotations

from random import Random

from client.tournament.plan import Plan
from engine.replay import ending

TRIES = 1000


def opening(plan: Plan, number: int) -> str:
    """The position that two games start from; "" is the usual one."""
    if not plan.opening_plies:
        return ""
    game, rng = plan.create(), Random(f"{plan.seed} opening {number}")
    for _ in range(TRIES):
        states = [game.start()]
        while len(states) <= plan.opening_plies and ending(game, states) is None:
            states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
        if ending(game, states) is None:
            return game.dump(states[-1])
    return ""  # so long an opening ends every game
