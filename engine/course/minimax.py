"""Greedy and textbook minimax: no pruning; the first of several equal children is kept."""

from __future__ import annotations

from math import inf

from engine.course.tree import Choice, Log, Node, Order, Tree, Value, keep_order, no_log
from engine.game import Game, Move, State


def greedy(game: Game, state: State, evaluation: str, log: Log = no_log, order: Order = keep_order) -> Choice:
    """Return the best turn by its evaluation alone: minimax at depth 1."""
    return minimax(game, state, 1, evaluation, log, order)


def minimax(
    game: Game, state: State, depth: int, evaluation: str, log: Log = no_log, order: Order = keep_order
) -> Choice:
    tree = Tree(game, state, depth, evaluation, log, order)
    value, line = search(tree, tree.root)
    return Choice(int(value), line, tree.nodes)


def search(tree: Tree, node: Node) -> tuple[Value, tuple[Move, ...]]:
    """Return the value of a node and the line that leads to it."""
    moves = tree.moves(node)
    if not moves:
        leaf = tree.leaf(node)
        tree.log(node, leaf, -inf, inf)
        return leaf, ()
    maximise = node.state.turn == tree.side
    best = tree.worst(node)
    line: tuple[Move, ...] = ()
    tree.log(node, best, -inf, inf)
    for move in moves:
        value, after = search(tree, tree.child(node, move))
        if value > best if maximise else value < best:
            best, line = value, (move, *after)
        tree.log(node, best, -inf, inf)
    return best, line
