"""Iterative deepening with the alpha-beta search of the course, for programs with a time limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.course.alphabeta import alphabeta
from engine.course.tree import WIN, Node, Value
from engine.game import Game, Move, State

MIN_DECIDED_VALUE = WIN // 2  # a won or lost game is worth at least this, an evaluation less


class Depth(NamedTuple):
    """A finished depth: the first best move, its value for the side to move, and whether it decides the game."""

    depth: int
    move: Move
    value: int
    decided: bool


class Stopped(Exception):
    """The time is up before a depth is finished."""


def deepen(
    game: Game, state: State, evaluation: str, deepest: int, stop: Callable[[], bool] = lambda: False
) -> Iterator[Depth]:
    """Yield each finished depth until `stop` returns true. The game must not be over.

    The first depth is always finished, so there is always a move. Each depth tries the best move of the previous depth
    first, which causes more cut-offs.
    """
    best: Move | None = None

    def best_first(at: State, moves: tuple[Move, ...]) -> Sequence[Move]:
        if best is None or at != state:
            return moves
        return (best, *(move for move in moves if move != best))

    def check_time(node: Node, value: Value, alpha: Value, beta: Value, /) -> None:
        if best is not None and stop():
            raise Stopped

    for depth in range(1, deepest + 1):
        try:
            choice = alphabeta(game, state, depth, evaluation, check_time, best_first)
        except Stopped:
            return
        best = choice.line[0]
        decided = abs(choice.value) >= MIN_DECIDED_VALUE
        yield Depth(depth, best, choice.value, decided)
        if decided or stop():
            return
