"""The course players by name: random, greedy, minimax:DEPTH, alphabeta:DEPTH, with an optional :EVALUATION.

    make_player("alphabeta:3:hfunc1", game, rng)(state) -> Move

`search` is an alias of alphabeta. The random generator also chooses among moves of equal value, so that a player does
not repeat the same moves forever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from engine.course.alphabeta import alphabeta
from engine.course.minimax import minimax
from engine.course.tree import Order
from engine.errors import InvalidOption, shorten
from engine.game import Game, Move, State
from engine.options import parse_int

ChooseMove = Callable[[State], Move]

PLAYER_FORM = "random, greedy[:EVALUATION], minimax:DEPTH[:EVALUATION] or alphabeta:DEPTH[:EVALUATION]"
MAX_DEPTH = 100
DEFAULT_DEPTH = 3


def make_player(text: str, game: Game, rng: Random) -> ChooseMove:
    """Return a function that chooses moves as the named player. Raises InvalidOption."""
    name, *rest = text.split(":")
    if name == "random" and not rest:
        return lambda state: rng.choice(game.moves(state))
    if name not in ("greedy", "minimax", "alphabeta", "search") or len(rest) > (1 if name == "greedy" else 2):
        raise InvalidOption(f"{shorten(text)!r} is not a player: expected {PLAYER_FORM}")
    search = minimax if name in ("greedy", "minimax") else alphabeta
    depth = 1 if name == "greedy" else _depth(text, rest.pop(0) if rest else str(DEFAULT_DEPTH))
    evaluation = rest[0] if rest else next(iter(game.evaluations))
    if evaluation not in game.evaluations:
        known = ", ".join(game.evaluations)
        raise InvalidOption(f"{shorten(text)!r} is not a player of {game.name}: its evaluations are {known}")
    return lambda state: search(game, state, depth, evaluation, order=shuffle_root(state, rng)).line[0]


def shuffle_root(root: State, rng: Random) -> Order:
    """Return an order that shuffles the moves of the root. A search keeps the first of several equal moves."""

    def order(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
        return rng.sample(moves, len(moves)) if state == root else moves

    return order


def _depth(text: str, word: str) -> int:
    depth = parse_int(word)
    if depth is None or not 1 <= depth <= MAX_DEPTH:
        raise InvalidOption(f"{shorten(text)!r} is not a player: expected a depth from 1 to {MAX_DEPTH} after :")
    return depth
