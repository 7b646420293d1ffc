"""Alpha-beta pruning: minimax without the nodes that cannot affect the result.

alpha is the value that the side at the root is sure of, beta that of its opponent. At the root, the value and the first
best line are those of minimax. The value of an inner node may only be a bound, as in the traverse log of the course.
"""

from __future__ import annotations

from math import inf

from engine.course.tree import Choice, Log, Node, Order, Tree, Value, keep_order, no_log
from engine.game import Game, Move, State


def alphabeta(
    game: Game, state: State, depth: int, evaluation: str, log: Log = no_log, order: Order = keep_order
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
        if best >= beta if maximise else best <= alpha:  # docs/rules.md: the row of a cut-off shows the old window
            tree.log(node, best, alpha, beta)
            return best, line
        if maximise:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        tree.log(node, best, alpha, beta)
    return best, line
