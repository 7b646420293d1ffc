"""Alpha-beta: minimax that leaves out what cannot matter. alpha: what the root's side has for sure; beta: the other's.

At the root the value and the first best line are those of minimax. A node's own value may be only a bound: that is what
the course's log shows too.
"""

from __future__ import annotations

from math import inf

from engine.course.tree import Choice, Log, Node, Order, Tree, Value, as_given, silent
from engine.game import Game, Move, State


def alphabeta(
    game: Game, state: State, depth: int, evaluation: str, log: Log = silent, order: Order = as_given
) -> Choice:
    tree = Tree(game, state, depth, evaluation, log, order)
    value, line = search(tree, tree.root, -inf, inf)
    return Choice(int(value), line, tree.nodes)


def search(tree: Tree, node: Node, alpha: Value, beta: Value) -> tuple[Value, tuple[Move, ...]]:
    moves = tree.moves(node)
    if not moves:
        leaf = tree.leaf(node)
        tree.log(node, leaf, alpha, beta)
        return leaf, ()
    maximise = node.state.turn == tree.side
    best = tree.worst(node)
    line: tuple[Move, ...] = ()
    tree.log(node, best, alpha, beta)
    for move in moves:
        value, after = search(tree, tree.child(node, move), alpha, beta)
        if value > best if maximise else value < best:
            best, line = value, (move, *after)
        if best >= beta if maximise else best <= alpha:  # docs/rules.md: the row of a cut shows the old window
            tree.log(node, best, alpha, beta)
            return best, line
        if maximise:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        tree.log(node, best, alpha, beta)
    return best, line
