"""The game tree of the course searches: nodes, cut-off, leaf values, log.

Depth counts turns, not moves (docs/rules.md, Mancala). The children of a node reached with an extra turn have the same
depth as that node, so a node at the cut-off is still expanded if its mover moves again. Without extra turns this is the
usual depth. Values are for the side that moves at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple, Protocol

from engine.errors import InvalidOption
from engine.game import Game, Move, Side, State

WIN = 1_000_000  # more than any evaluation; an earlier win is worth more
ROOT = -1  # the move that led to the root

Value = float  # an int, or an infinity before the first child
Order = Callable[[State, tuple[Move, ...]], Sequence[Move]]


class Node(NamedTuple):
    """A node of the tree: the position, its depth, and the move that led to it."""

    state: State
    depth: int = 0
    move: Move = ROOT
    mover: Side = 0
    again: bool = False  # the mover moves again


class Choice(NamedTuple):
    """The result of a search: the value, the best line (the first of several equal ones), the nodes visited."""

    value: int
    line: tuple[Move, ...]
    nodes: int


class Log(Protocol):
    """Called when a node is entered and after each of its children. An exception ends the search."""

    def __call__(self, node: Node, value: Value, alpha: Value, beta: Value, /) -> None: ...


def no_log(node: Node, value: Value, alpha: Value, beta: Value, /) -> None:
    """Do nothing."""


def keep_order(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
    return moves


class Tree:
    """The parameters of one search: game, maximising side, cut-off, evaluation, order of children."""

    def __init__(
        self,
        game: Game,
        state: State,
        cutoff: int,
        evaluation: str,
        log: Log = no_log,
        order: Order = keep_order,
    ) -> None:
        if evaluation not in game.evaluations:
            known = ", ".join(game.evaluations)
            raise InvalidOption(f"{game.name} has no evaluation {evaluation[:40]!r}; use one of {known}")
        self.game = game
        self.side = state.turn
        self.root = Node(state)
        self.cutoff = cutoff
        self.log = log
        self.order = order
        self.nodes = 0
        self._evaluate: Callable[[int, int], int] = getattr(game.rules, game.evaluations[evaluation])
        self._points = game.points(state) is not None

    def moves(self, node: Node) -> Sequence[Move]:
        """Return the moves to search: none if the game is over, or at the cut-off unless the mover moves again."""
        if node.depth >= self.cutoff and not node.again:
            return ()
        return self.order(node.state, self.game.moves(node.state))

    def child(self, node: Node, move: Move) -> Node:
        self.nodes += 1
        state = self.game.after(node.state, move)
        mover = node.state.turn
        depth = node.depth if node.again else node.depth + 1
        return Node(state, depth, move, mover, state.turn == mover)

    def leaf(self, node: Node) -> int:
        """Return the value of a leaf.

        Evaluations of games with points are also valid at the end of a game. In other games a win or loss decides.
        """
        state = node.state
        if not self._points and self.game.rules.over(state.mine, state.rest):
            margin: int = self.game.rules.score(state.mine, state.rest)
            return (margin if state.turn == self.side else -margin) * (WIN - node.depth)
        return self._evaluate(*state.of(self.side))

    def worst(self, node: Node) -> Value:
        """Return the value of a node before its first child: the worst value for the side to move there."""
        return -inf if node.state.turn == self.side else inf
