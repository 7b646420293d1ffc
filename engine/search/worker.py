"""The state of one thread of a search: its stack and its counters. All threads of a search share one table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.game import Move, State
from engine.search import tree
from engine.search.endgames import EndgameTable
from engine.search.kernel import Kernel
from engine.search.limits import SLICE_S
from engine.search.table import bucket_mask

MAX_PAST_STATES = 100  # earlier states of the game that are checked for repetition


@dataclass(frozen=True, slots=True)
class Task:
    """A search to a depth within a window. `first` is the move to try first, or -1. `number` tells searches apart."""

    state: State
    depth: int
    alpha: int
    beta: int
    first: Move
    number: int


class Worker:
    """Runs the kernel in slices. One thread at a time may use it."""

    def __init__(self, kernel: Kernel, busy: Any) -> None:
        zeros, frames, max_moves = kernel.zeros, tree.MAX_PLY + 2, kernel.max_moves
        self.kernel = kernel
        self.control = zeros(tree.CONTROL_FIELDS)
        self._stack, self._moves, self._weights = (
            zeros(frames * tree.FRAME_FIELDS),
            zeros(frames * max_moves),
            zeros(frames * max_moves),
        )
        self._history, self._busy = zeros(2 * max_moves), busy
        self._endgames = zeros(1)
        self.slice_nodes = 256  # adjusted so that a slice takes SLICE_S

    def use_endgames(self, table: EndgameTable) -> None:
        self._endgames, self.control[tree.KNOWN_ENDGAMES] = table.words, table.places

    def prepare(self, past: Sequence[State], plies_left: int) -> None:
        """Prepare for a new position. Earlier states are put below the root of the stack to detect repetitions."""
        control = self.control
        recent = past[-MAX_PAST_STATES:] if self.kernel.cyclic else ()
        for i, state in enumerate(recent):
            frame = i * tree.FRAME_FIELDS
            self._stack[frame + tree.MINE], self._stack[frame + tree.REST] = state.mine, state.rest
        control[tree.ROOT] = len(recent)
        control[tree.LAST] = min(tree.MAX_PLY, len(recent) + plies_left)  # no proof beyond the ply limit
        control[tree.NODES] = 0
        control[tree.AGE] = (int(control[tree.AGE]) + 1) % 64
        for i in range(len(self._history)):
            self._history[i] //= 8

    def begin(self, task: Task) -> None:
        stack, control, root = self._stack, self.control, self._root
        stack[root + tree.MINE], stack[root + tree.REST], stack[root + tree.SIDE] = task.state.mine, task.state.rest, 0
        stack[root + tree.ALPHA], stack[root + tree.BETA], stack[root + tree.DEPTH] = task.alpha, task.beta, task.depth
        control[tree.RETURNING] = control[tree.DONE] = 0
        control[tree.PLY], control[tree.ROOT_MOVE] = control[tree.ROOT], -1
        control[tree.FIRST], control[tree.SEARCH] = task.first, task.number

    def run(self, table: Any, budget: int) -> bool:
        """Continue the search for a number of nodes. Return whether it is finished."""
        nodes, start = self.nodes, time.perf_counter()
        self.control[tree.BUDGET] = budget
        self._call(table, table)
        spent = max(time.perf_counter() - start, 1e-9)
        wanted = int((self.nodes - nodes) / spent * SLICE_S)
        self.slice_nodes = max(16, min(wanted, 1 << 24, 4 * self.slice_nodes))
        return bool(self.control[tree.DONE])

    def rehash(self, old: Any, table: Any) -> None:
        """Copy the entries of a part of a table to their places in a larger one, which no other thread may use yet."""
        self.control[tree.OLD_BUCKETS], self.control[tree.BUDGET] = bucket_mask(old) + 1, 0
        self._call(table, old)

    def _call(self, table: Any, old: Any) -> None:
        self.control[tree.MASK] = bucket_mask(table)
        self.kernel.run(
            self._stack, self._moves, self._weights, table, old, self._history, self._busy, self._endgames, self.control
        )

    # -- results of the last search

    @property
    def nodes(self) -> int:
        return int(self.control[tree.NODES])

    @property
    def value(self) -> int:
        return int(self.control[tree.VALUE])

    @property
    def proved(self) -> bool:
        return bool(self.control[tree.VALUE_SOLID])

    @property
    def best_move(self) -> Move:
        """The best move of a finished search."""
        return int(self._stack[self._root + tree.BEST_MOVE])

    @property
    def partial_best_move(self) -> Move | None:
        """The best move so far of a stopped search, or None."""
        move = int(self.control[tree.ROOT_MOVE])
        return None if move < 0 else move

    @property
    def _root(self) -> int:
        """The index of the root frame in the stack."""
        return int(self.control[tree.ROOT]) * tree.FRAME_FIELDS
