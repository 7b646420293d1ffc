"""The driver of a search: owns the arrays, runs the kernel in slices, grows the table."""

from __future__ import annotations

import time
from collections.abc import Sequence

from engine.game import Game, Move, State
from engine.search import tree
from engine.search.kernel import Notice, kernel
from engine.search.limits import SLICE_S, Clock
from engine.search.primitives import mix
from engine.search.table import BUCKET_ENTRIES, find_entry

GROW_BUCKET_S = 1e-6  # time that must be left per bucket to grow the table; ten times the cost
INITIAL_BUCKETS = 1 << 12  # the table grows only in compiled searches
MAX_DEPTH = 200
MAX_PAST_STATES = 100  # earlier states of the game that are checked for repetition
NO_GROWTH = 1 << 60


class Driver:
    """Runs searches of one game. Results stay in the table from one search to the next."""

    def __init__(self, game: Game, table_mb: float, compiled: bool | None, notice: Notice) -> None:
        self.game = game
        self.kernel = kernel(game, compiled, notice)
        self.plies_left = MAX_DEPTH
        zeros, frames, max_moves = self.kernel.zeros, tree.MAX_PLY + 2, self.kernel.max_moves
        self._stack, self._moves, self._weights = (
            zeros(frames * tree.FRAME_FIELDS),
            zeros(frames * max_moves),
            zeros(frames * max_moves),
        )
        self._history, self._control = zeros(2 * max_moves), zeros(tree.CONTROL_FIELDS)
        self.table = zeros(INITIAL_BUCKETS * 2 * BUCKET_ENTRIES)
        self._control[tree.MASK] = INITIAL_BUCKETS - 1
        self._max_buckets = int(table_mb * (1 << 20)) // (16 * BUCKET_ENTRIES) if self.kernel.compiled else 0
        self._may_grow = True
        self._budget = 256
        self._best: tuple[State, Move] | None = None  # best move of the last finished search, with its position

    def prepare(self, past: Sequence[State]) -> None:
        """Prepare for a new position. Earlier states are put below the root of the stack to detect repetitions."""
        control, limit = self._control, self.game.spec.max_plies
        recent = past[-MAX_PAST_STATES:] if self.kernel.cyclic else ()
        for i, state in enumerate(recent):
            frame = i * tree.FRAME_FIELDS
            self._stack[frame + tree.MINE], self._stack[frame + tree.REST] = state.mine, state.rest
        self.plies_left = MAX_DEPTH if limit is None else max(1, min(MAX_DEPTH, limit - len(past)))
        control[tree.ROOT] = len(recent)
        control[tree.LAST] = min(tree.MAX_PLY, len(recent) + self.plies_left)  # no proof beyond the ply limit
        control[tree.NODES] = 0
        control[tree.AGE] = (int(control[tree.AGE]) + 1) % 64
        self._may_grow = True
        for i in range(len(self._history)):
            self._history[i] //= 8

    def search(self, state: State, depth: int, alpha: int, beta: int, clock: Clock) -> int:
        """Search to a depth within a window and return the value. Raises Stopped when a limit is reached."""
        stack, control, root = self._stack, self._control, self._root
        stack[root + tree.MINE], stack[root + tree.REST], stack[root + tree.SIDE] = state.mine, state.rest, 0
        stack[root + tree.ALPHA], stack[root + tree.BETA], stack[root + tree.DEPTH] = alpha, beta, depth
        control[tree.RETURNING] = control[tree.DONE] = 0
        control[tree.PLY], control[tree.ROOT_MOVE] = control[tree.ROOT], -1
        # The previous best move comes first, so that a stopped search returns it or a better move.
        control[tree.FIRST] = self._best[1] if self._best is not None and self._best[0] == state else -1
        while True:
            nodes, start = self.nodes, time.perf_counter()
            control[tree.BUDGET] = min(clock.budget(self._budget, nodes), self._until_growth())
            self.kernel.run(stack, self._moves, self._weights, self.table, self._history, control)
            spent = max(time.perf_counter() - start, 1e-9)
            self._budget = max(16, min(int((self.nodes - nodes) / spent * SLICE_S), 1 << 24, 4 * self._budget))
            if control[tree.DONE]:
                value = int(control[tree.VALUE])
                if value > alpha:
                    self._best = state, self.best_move
                return value
            clock.check(self.nodes)
            if self._until_growth() <= 0:
                self.grow(clock)

    # -- results of the last search

    @property
    def nodes(self) -> int:
        return int(self._control[tree.NODES])

    @property
    def proved(self) -> bool:
        return bool(self._control[tree.VALUE_SOLID])

    @property
    def best_move(self) -> Move:
        """The best move of a finished search."""
        return int(self._stack[self._root + tree.BEST_MOVE])

    @property
    def partial_best_move(self) -> Move | None:
        """The best move so far of a stopped search, or None."""
        move = int(self._control[tree.ROOT_MOVE])
        return None if move < 0 else move

    def table_move(self, state: State) -> Move | None:
        """Return the best move of a position according to the table, or None."""
        a, b, own = self.game.rules.key(state.mine, state.rest)
        check = mix(a, b)
        at = find_entry(self.table, (check & int(self._control[tree.MASK])) * (2 * BUCKET_ENTRIES), check)
        if at < 0 or not own:
            return None
        move = int(self.table[at + 1]) >> 32 & 255
        return move if move in self.game.moves(state) else None

    @property
    def _root(self) -> int:
        """The index of the root frame in the stack."""
        return int(self._control[tree.ROOT]) * tree.FRAME_FIELDS

    # -- the table

    def _until_growth(self) -> int:
        """Return the number of nodes until the table grows.

        The table grows at fixed node counts, so that equal limits give equal results: when more positions have been
        visited than the larger table can hold. Untouched memory costs nothing, so small searches stay small.
        """
        buckets = 4 * (int(self._control[tree.MASK]) + 1)
        return buckets * BUCKET_ENTRIES - self.nodes if self._may_grow and buckets <= self._max_buckets else NO_GROWTH

    def grow(self, clock: Clock) -> None:
        """Make the table four times as large, unless too little time is left for it."""
        buckets = int(self._control[tree.MASK]) + 1
        if clock.left() < 4 * buckets * GROW_BUCKET_S:
            self._may_grow = False
            return
        table = self.kernel.zeros(4 * len(self.table))
        table[: len(self.table)] = self.table
        self.table = table
        self._control[tree.MASK], self._control[tree.OLD_BUCKETS] = 4 * buckets - 1, buckets
