"""Openings: those of the plan, in turn; balanced ones, which are chosen before they are needed; or random ones.

The seed and the number of a random opening determine the position. It is repeated only if no other is found: replaying
the same game would add no information.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.plan import Plan
from engine.game import Game
from engine.registry import create
from engine.replay import ending

MAX_DRAWS = 200  # per opening, until one is new and does not end the game


def opening(plan: Plan, number: int, chosen: Sequence[ChosenOpening] = ()) -> str:
    """Return the start position of an opening, numbered from 1. "" is the usual position.

    `chosen`: the balanced openings so far. Raises IndexError if the plan has balanced openings, but this is not chosen.
    """
    if plan.openings:
        return plan.openings[(number - 1) % len(plan.openings)]
    if not plan.opening_plies:
        return ""
    if plan.balanced:
        return chosen[number - 1].position
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
        found = ""
        for position in draws(self._game, self._seed, number, self._plies, MAX_DRAWS):
            if position not in self._seen:
                return position
            found = found or position
        return found  # no new one was found


def draws(game: Game, seed: int, number: int, plies: int, count: int) -> Iterator[str]:
    """Yield the positions after `plies` random moves, those of `count` games that have not ended by then."""
    rng = Random(f"{seed} opening {number}")
    for _ in range(count):
        if position := walk(game, rng, plies):
            yield position


def walk(game: Game, rng: Random, plies: int) -> str:
    """Return the position after random moves, or "" if they end the game."""
    states = [game.start()]
    while len(states) <= plies and ending(game, states) is None:
        states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
    return game.dump(states[-1]) if ending(game, states) is None else ""


@lru_cache(maxsize=64)
def openings_for(game: str, options: tuple[tuple[str, int | str], ...], seed: int, plies: int) -> Openings:
    return Openings(create(game, dict(options)), seed, plies)
