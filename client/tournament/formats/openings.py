"""Openings: those of the plan, in turn, or random ones. Of these, the seed and the number determine the position.

A random opening is repeated only if no other is found: replaying the same game would add no information.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from client.tournament.model.plan import Plan
from engine.game import Game
from engine.registry import create
from engine.replay import ending

MAX_DRAWS = 200  # per opening, until one is new and does not end the game


def opening(plan: Plan, number: int) -> str:
    """Return the start position of an opening, numbered from 1. "" is the usual position."""
    if plan.openings:
        return plan.openings[(number - 1) % len(plan.openings)]
    if not plan.opening_plies:
        return ""
    return openings_for(plan.game, tuple(sorted(plan.options.items())), plan.seed, plan.opening_plies).get(number)


class Openings:
    """The openings of one game and seed, drawn on demand."""

    def __init__(self, game: Game, seed: int, plies: int) -> None:
        self._game, self._seed, self._plies = game, seed, plies
        self._known: list[str] = []
        self._seen: set[str] = set()

    def get(self, number: int) -> str:
        while len(self._known) < number:
            found = self._draw(len(self._known) + 1)
            self._known.append(found)
            self._seen.add(found)
        return self._known[number - 1]

    def _draw(self, number: int) -> str:
        rng, found = Random(f"{self._seed} opening {number}"), ""
        for _ in range(MAX_DRAWS):
            position = self._walk(rng)
            if position and position not in self._seen:
                return position
            found = found or position
        return found  # no new one was found

    def _walk(self, rng: Random) -> str:
        """Return the position after random moves, or "" if they end the game."""
        game = self._game
        states = [game.start()]
        while len(states) <= self._plies and ending(game, states) is None:
            states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
        return game.dump(states[-1]) if ending(game, states) is None else ""


@lru_cache(maxsize=64)
def openings_for(game: str, options: tuple[tuple[str, int | str], ...], seed: int, plies: int) -> Openings:
    return Openings(create(game, dict(options)), seed, plies)
