"""The course's players by name: random, greedy, minimax:DEPTH, alphabeta:DEPTH, each with :EVALUATION behind it.

    brain("alphabeta:3:hfunc1", game, rng)(state) -> Move

`search` is another word for alphabeta. Chance comes from the generator that is passed in; it also chooses among moves
of equal value, so that a player with nothing better to do does not walk in circles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from engine.course.alphabeta import alphabeta
from engine.course.minimax import minimax
from engine.course.tree import Order
from engine.errors import InvalidOption, shorten
from engine.game import Game, Move, State
from engine.options import whole

Brain = Callable[[State], Move]

FORM = "random, greedy[:EVALUATION], minimax:DEPTH[:EVALUATION] or alphabeta:DEPTH[:EVALUATION]"
MOST_DEPTH = 100
DEFAULT_DEPTH = 3


def brain(text: str, game: Game, rng: Random) -> Brain:
    """The player that a text names, for one game; InvalidOption says what is wrong with the text."""
    name, *rest = text.split(":")
    if name == "random" and not rest:
        return lambda state: rng.choice(game.moves(state))
    if name not in ("greedy", "minimax", "alphabeta", "search") or len(rest) > (1 if name == "greedy" else 2):
        raise InvalidOption(f"{shorten(text)!r} is no player: expected {FORM}")
    search = minimax if name in ("greedy", "minimax") else alphabeta
    depth = 1 if name == "greedy" else _depth(text, rest.pop(0) if rest else str(DEFAULT_DEPTH))
    evaluation = rest[0] if rest else next(iter(game.evaluations))
    if evaluation not in game.evaluations:
        known = ", ".join(game.evaluations)
        raise InvalidOption(f"{shorten(text)!r} is no player of {game.name}, whose evaluations are {known}")
    return lambda state: search(game, state, depth, evaluation, order=root_by_chance(state, rng)).line[0]


def root_by_chance(root: State, rng: Random) -> Order:
    """The root's moves in any order: a search keeps the first of equals, which then is any of them."""

    def order(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
        return rng.sample(moves, len(moves)) if state == root else moves

    return order


def _depth(text: str, word: str) -> int:
    depth = whole(word)
    if depth is None or not 1 <= depth <= MOST_DEPTH:
        raise InvalidOption(f"{shorten(text)!r} is no player: expected a depth from 1 to {MOST_DEPTH} after the colon")
    return depth
