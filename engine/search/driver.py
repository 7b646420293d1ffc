"""The driver of a tree: it owns the arrays, lets the kernel run in slices, and makes the table grow."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.game import Game, Move, State
from engine.search import tree
from engine.search.kernel import Notice, kernel
from engine.search.limits import SLICE, Clock
from engine.search.primitives import mix
from engine.search.table import WAYS, find

BUCKET_SECONDS = 1e-6  # to be left for each bucket of a table that grows, ten times what it costs
FIRST_BUCKETS = 1 << 12  # of the table, which grows as it fills; plain Python is too slow to fill more
MOST_DEPTH = 200
MOST_PAST = 100  # positions of the game that are looked at for repetition
NEVER = 1 << 60


class Driver:
    """One tree of one game. What it finds stays in its table from search to search."""

    def __init__(self, game: Game, table_mb: float, compiled: bool | None, notice: Notice) -> None:
        self.game = game
        self.kernel = kernel(game, compiled, notice)
        self.plies_left = MOST_DEPTH
        words, frames, most = self.kernel.words, tree.MAX_PLY + 2, self.kernel.most_moves
        self._stack, self._moves, self._weights = words(frames * tree.FRAME), words(frames * most), words(frames * most)
        self._history, self._control = words(2 * most), words(tree.CONTROL)
        self.table = words(FIRST_BUCKETS * 2 * WAYS)
        self._control[tree.MASK] = FIRST_BUCKETS - 1
        self._most_buckets = int(table_mb * (1 << 20)) // (16 * WAYS) if self.kernel.compiled else 0
        self._may_grow = True
        self._budget = 256
        self._best: tuple[State, Move] | None = None  # of the last search that found one

    def begin(self, past: Sequence[State]) -> None:
        """Make ready for a position. The latest of those before it lie below the root, to be seen when they repeat."""
        control, limit = self._control, self.game.spec.max_plies
        known = past[-MOST_PAST:] if self.kernel.cyclic else ()
        for i, state in enumerate(known):
            self._stack[i * tree.FRAME + tree.MINE], self._stack[i * tree.FRAME + tree.REST] = state.mine, state.rest
        self.plies_left = MOST_DEPTH if limit is None else max(1, min(MOST_DEPTH, limit - len(past)))
        control[tree.ROOT] = len(known)
        control[tree.LAST] = min(tree.MAX_PLY, len(known) + self.plies_left)  # nothing beyond a ply limit is proved
        control[tree.NODES] = 0
        control[tree.AGE] = (int(control[tree.AGE]) + 1) % 64
        self._may_grow = True
        for i in range(len(self._history)):
            self._history[i] //= 8

    def search(self, state: State, depth: int, alpha: int, beta: int, clock: Clock) -> int:
        """The value of the tree to a depth within a window; Stopped when the limits say so."""
        stack, control, root = self._stack, self._control, self._root
        stack[root + tree.MINE], stack[root + tree.REST], stack[root + tree.SIDE] = state.mine, state.rest, 0
        stack[root + tree.ALPHA], stack[root + tree.BETA], stack[root + tree.DEPTH] = alpha, beta, depth
        control[tree.RETURNING] = control[tree.DONE] = 0
        control[tree.PLY], control[tree.ROOT_MOVE] = control[tree.ROOT], -1
        # tried first, it is what others must beat: so a search that is stopped has nothing worse to show
        control[tree.FIRST] = self._best[1] if self._best is not None and self._best[0] == state else -1
        while True:
            nodes, start = self.nodes, time.perf_counter()
            control[tree.BUDGET] = min(clock.budget(self._budget, nodes), self._until_growth())
            self.kernel.run(stack, self._moves, self._weights, self.table, self._history, control)
            spent = max(time.perf_counter() - start, 1e-9)
            self._budget = max(16, min(int((self.nodes - nodes) / spent * SLICE), 1 << 24, 4 * self._budget))
            if control[tree.DONE]:
                value = int(control[tree.VALUE])
                if value > alpha:
                    self._best = state, self.best_move
                return value
            clock.check(self.nodes)
            if self._until_growth() <= 0:
                self.grow(clock)

    # -- what the last search has found

    @property
    def nodes(self) -> int:
        return int(self._control[tree.NODES])

    @property
    def proved(self) -> bool:
        return bool(self._control[tree.VALUE_SOLID])

    @property
    def best_move(self) -> Move:
        """The best move of a search that is done."""
        return int(self._stack[self._root + tree.BEST_MOVE])

    @property
    def better_move(self) -> Move | None:
        """The best move so far of a search that was stopped, if it has found any."""
        move = int(self._control[tree.ROOT_MOVE])
        return None if move < 0 else move

    def known_move(self, state: State) -> Move | None:
        """What the table holds to be the best move of a position."""
        a, b, own = self.game.rules.key(state.mine, state.rest)
        check = mix(a, b)
        at = find(self.table, (check & int(self._control[tree.MASK])) * (2 * WAYS), check)
        if at < 0 or not own:
            return None
        move = int(self.table[at + 1]) >> 32 & 255
        return move if move in self.game.moves(state) else None

    @property
    def _root(self) -> int:
        """Where the root's frame begins."""
        return int(self._control[tree.ROOT]) * tree.FRAME

    # -- the table

    def _until_growth(self) -> int:
        """The nodes to go before the table grows: always at the same count, so that equal limits give equal answers.

        It grows when more positions have been seen than it would hold then. Memory that is never touched costs
        nothing, so small searches stay small.
        """
        buckets = 4 * (int(self._control[tree.MASK]) + 1)
        return buckets * WAYS - self.nodes if self._may_grow and buckets <= self._most_buckets else NEVER

    def grow(self, clock: Clock) -> None:
        """Make the table four times as large, unless that would take too much of the time that is left."""
        buckets = int(self._control[tree.MASK]) + 1
        if clock.left() < 4 * buckets * BUCKET_SECONDS:
            self._may_grow = False
            return
        table = self.kernel.words(4 * len(self.table))
        table[: len(self.table)] = self.table
        self.table = table
        self._control[tree.MASK], self._control[tree.OUTGROWN] = 4 * buckets - 1, buckets
