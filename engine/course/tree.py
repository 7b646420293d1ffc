"""What a search of the course walks through: nodes, when to stop, what a leaf is worth, whom to tell.

Depth counts turns, not moves (docs/rules.md, Mancala): the children of a node reached with an extra turn keep that
node's depth, so a node at the cut-off whose mover moves again is still expanded. In a game without extra turns this
is the depth everybody knows. Values are from the view of the side that moves at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple, Protocol

from engine.errors import InvalidOption
from engine.game import Game, Move, Side, State

WIN = 1_000_000  # more than any evaluation; a game won sooner is worth more
ROOT = -1  # the move that led to the root

Value = float  # an int, or an infinity where nothing is known yet
Order = Callable[[State, tuple[Move, ...]], Sequence[Move]]


class Node(NamedTuple):
    """A place in the tree: the position, how deep, and the move that led there."""

    state: State
    depth: int = 0
    move: Move = ROOT
    mover: Side = 0
    again: bool = False  # its mover moves again


class Choice(NamedTuple):
    """What a search found: the value, the best line (the first of equals at every node), the nodes it saw."""

    value: int
    line: tuple[Move, ...]
    nodes: int


class Log(Protocol):
    """Told when a node is entered and again after each of its children; an exception it raises ends the search."""

    def __call__(self, node: Node, value: Value, alpha: Value, beta: Value, /) -> None: ...


def silent(node: Node, value: Value, alpha: Value, beta: Value, /) -> None:
    """The log of a search nobody listens to."""


def as_given(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
    return moves


class Tree:
    """One search's question: the game, the side to please, the cut-off, the evaluation, the order of children."""

    def __init__(
        self,
        game: Game,
        state: State,
        cutoff: int,
        evaluation: str,
        log: Log = silent,
        order: Order = as_given,
    ) -> None:
        if evaluation not in game.evaluations:
            known = ", ".join(game.evaluations)
            raise InvalidOption(f"{game.name} has no evaluation {evaluation[:40]!r}; it has {known}")
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
        """The moves to search; none at a leaf: at the cut-off unless its mover moves again, or the game is over."""
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
        """What a leaf is worth. Where a game counts points its evaluations know the end; elsewhere the end decides."""
        state = node.state
        if not self._points and self.game.rules.over(state.mine, state.rest):
            margin: int = self.game.rules.score(state.mine, state.rest)
            return (margin if state.turn == self.side else -margin) * (WIN - node.depth)
        return self._evaluate(*state.of(self.side))

    def worst(self, node: Node) -> Value:
        """What a node counts for before any of its children: the worst for whoever moves there."""
        return -inf if node.state.turn == self.side else inf
