"""Openings by chance: the number of an opening and the seed of the tournament say which it is.

No opening comes twice as long as chance finds others: the same game played again and again would say nothing new.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from client.tournament.model.plan import Plan
from engine.game import Game
from engine.registry import create
from engine.replay import ending

MAX_DRAWS = 200  # draws for one opening that is new, and does not end the game


def opening(plan: Plan, number: int) -> str:
    """The position that two games start from, make_pair from 1 on; "" is the usual one."""
    if not plan.opening_plies:
        return ""
    return openings_for(plan.game, tuple(sorted(plan.options.items())), plan.seed, plan.opening_plies).get(number)


class Openings:
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
        return found  # there are no others, or none that chance would find

    def _walk(self, rng: Random) -> str:
        """Some moves by chance; "" if they end the game."""
        game = self._game
        states = [game.start()]
        while len(states) <= self._plies and ending(game, states) is None:
            states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
        return game.dump(states[-1]) if ending(game, states) is None else ""


@lru_cache(maxsize=64)
def openings_for(game: str, options: tuple[tuple[str, int | str], ...], seed: int, plies: int) -> Openings:
    return Openings(create(game, dict(options)), seed, plies)
