"""Iterative deepening over the course's alpha-beta, for a program that must answer within a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.course.alphabeta import alphabeta
from engine.course.tree import WIN, Node, Value
from engine.game import Game, Move, State

DECIDED = WIN // 2  # an end is worth at least that, an evaluation never


class Depth(NamedTuple):
    """One whole depth: the first best move, its value for the side to move, and whether the end is in sight."""

    depth: int
    move: Move
    value: int
    decided: bool


class Stopped(Exception):
    """The time is up within a depth."""


def deepen(
    game: Game, state: State, evaluation: str, deepest: int, stop: Callable[[], bool] = lambda: False
) -> Iterator[Depth]:
    """One depth after the other, each as soon as it is whole, until `stop` says so. The game must not be over.

    The first depth is always finished, so there is an answer however short the time. Each depth tries the best move
    of the one before first, which cuts off most of the rest.
    """
    best: Move | None = None

    def best_first(at: State, moves: tuple[Move, ...]) -> Sequence[Move]:
        if best is None or at != state:
            return moves
        return (best, *(move for move in moves if move != best))

    def watch(node: Node, value: Value, alpha: Value, beta: Value, /) -> None:
        if best is not None and stop():
            raise Stopped

    for depth in range(1, deepest + 1):
        try:
            choice = alphabeta(game, state, depth, evaluation, watch, best_first)
        except Stopped:
            return
        best = choice.line[0]
        decided = abs(choice.value) >= DECIDED
        yield Depth(depth, best, choice.value, decided)
        if decided or stop():
            return
