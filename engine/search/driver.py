"""The driver of a search: owns the table and the threads, checks the limits, grows the table."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Game, Move, State
from engine.search import tree
from engine.search.endgame_table import endgame_value
from engine.search.endgames import NO_ENDGAMES, EndgameTable, load_endgames
from engine.search.helpers import Helpers
from engine.search.kernel import Notice, kernel, release
from engine.search.limits import Clock
from engine.search.primitives import mix
from engine.search.table import BUCKET_ENTRIES, bucket_mask, find_entry
from engine.search.worker import Task, Worker

GROW_WORDS = 1 << 19  # of the old table that are copied at once
GROW_BUCKET_S = 1e-6  # time that must be left per bucket to grow the table; ten times the cost
INITIAL_BUCKETS = 1 << 12  # the table grows only in compiled searches
REPEATED_SHARE = 0.25  # visits to known positions by several threads, at most, per visit by one thread
MAX_DEPTH = 200
MAX_THREADS = 64
NO_GROWTH = 1 << 60


class Driver:
    """Runs searches of one game. Results stay in the table from one search to the next.

    With several threads, use `helpers` as a context manager around the searches of one position.
    """

    def __init__(
        self,
        game: Game,
        table_mb: float,
        compiled: bool | None,
        notice: Notice,
        threads: int = 1,
        endgames: bool = False,
    ) -> None:
        self.game = game
        self.kernel = kernel(game, compiled, notice)
        self.plies_left = MAX_DEPTH
        if not self.kernel.compiled:
            if threads > 1:
                notice("the search uses one thread: several threads need compiled code")
            threads = 1
        busy = self.kernel.zeros(tree.BUSY_MARKS)
        self.workers = [Worker(self.kernel, busy) for _ in range(threads)]
        self._first = self._finished = self.workers[0]
        self.helpers = Helpers(self.workers[1:], lambda: self.table)
        self.table = self.kernel.zeros(INITIAL_BUCKETS * 2 * BUCKET_ENTRIES)
        for worker in self.workers:
            worker.control[tree.THREADS] = threads
        self.use_endgames(load_endgames(game) if endgames and self.kernel.compiled else NO_ENDGAMES)
        self._max_buckets = int(table_mb * (1 << 20)) // (16 * BUCKET_ENTRIES) if self.kernel.compiled else 0
        self._may_grow = True
        self._searches = 0
        self._best: tuple[State, Move] | None = None  # best move of the last finished search, with its position

    def use_endgames(self, table: EndgameTable) -> None:
        self.endgames = table
        for worker in self.workers:
            worker.use_endgames(table)

    def prepare(self, past: Sequence[State]) -> None:
        """Prepare for a new position. `past` are the earlier states of the game."""
        limit = self.game.spec.max_plies
        self.plies_left = MAX_DEPTH if limit is None else max(1, min(MAX_DEPTH, limit - len(past)))
        for worker in self.workers:
            worker.prepare(past, self.plies_left)
        self._may_grow = True

    def search(self, state: State, depth: int, alpha: int, beta: int, clock: Clock) -> int:
        """Search to a depth within a window and return the value. Raises Stopped when a limit is reached."""
        # The previous best move comes first, so that a stopped search returns it or a better move.
        best = self._best[1] if self._best is not None and self._best[0] == state else -1
        self._searches += 1
        task = Task(state, depth, alpha, beta, best, self._searches)
        self._first.begin(task)
        try:
            self._finished = self._run(task, clock)
        finally:
            self.helpers.leave()
        value = self._finished.value
        if value > alpha:
            self._best = state, self.best_move
        return value

    def _run(self, task: Task, clock: Clock) -> Worker:
        """Run a search that the first worker has begun, and return the worker that has finished it."""
        while True:
            budget = min(clock.budget(self._first.slice_nodes, self.nodes), self._until_growth())
            if self._first.run(self.table, budget):
                return self._first
            if (finished := self.helpers.finished) is not None:
                return finished
            clock.check(self.nodes)
            if self._until_growth() <= 0:
                self.grow(clock)
            self.helpers.join(task)

    # -- results of the last search

    @property
    def nodes(self) -> int:
        """The number of positions visited by all threads."""
        return sum(worker.nodes for worker in self.workers)

    @property
    def proved(self) -> bool:
        return self._finished.proved

    @property
    def best_move(self) -> Move:
        """The best move of a finished search."""
        return self._finished.best_move

    @property
    def partial_best_move(self) -> Move | None:
        """The best move so far of a stopped search, or None."""
        return self._first.partial_best_move

    def table_move(self, state: State) -> Move | None:
        """Return the best move of a position according to the tables, or None."""
        if (best := self._endgame_move(state)) is not None:
            return best
        a, b, own = self.game.rules.key(state.mine, state.rest)
        check = mix(a, b)
        data = find_entry(self.table, (check & self._mask) * (2 * BUCKET_ENTRIES), check)
        if data == 0 or not own:
            return None
        move = int(data) >> 32 & 255
        return move if move in self.game.moves(state) else None

    def _endgame_move(self, state: State) -> Move | None:
        """Return the best move of a position that is in the endgame table, or None."""
        if self.endgame_value(state) is None:
            return None
        best: tuple[int, Move] | None = None
        for move in self.game.moves(state):
            after = self.game.after(state, move)
            value = self.endgame_value(after)
            if value is None:
                return None
            value = value if after.turn == state.turn else -value
            best = (value, move) if best is None or value > best[0] else best
        return None if best is None else best[1]

    def endgame_value(self, state: State) -> int | None:
        """Return the value of a position according to the endgame table, or None."""
        if not self.endgames.places:
            return None
        rules = self.kernel.rules
        at = rules.endgame_index(state.mine, state.rest)
        if not 0 <= at < self.endgames.places:
            return None
        return int(rules.base(state.mine, state.rest)) + endgame_value(self.endgames.words, at)

    # -- the table

    @property
    def _mask(self) -> int:
        return bucket_mask(self.table)

    def _until_growth(self) -> int:
        """Return the number of nodes until the table grows.

        The table grows at fixed node counts, so that equal limits give equal results: when more positions have been
        visited than the larger table can hold. Untouched memory costs nothing, so small searches stay small. Several
        threads visit some positions more than once, which need no room.
        """
        buckets = 4 * (self._mask + 1)
        nodes = buckets * BUCKET_ENTRIES * (1 if len(self.workers) == 1 else 1 + REPEATED_SHARE)
        return int(nodes) - self.nodes if self._may_grow and buckets <= self._max_buckets else NO_GROWTH

    def grow(self, clock: Clock) -> None:
        """Make the table four times as large, unless too little time is left for it.

        Meanwhile the helpers search with the old table. Some of the results that they store in it are lost.
        """
        buckets = self._mask + 1
        if clock.left() < 4 * buckets * GROW_BUCKET_S:
            self._may_grow = False
            return
        old, table = self.table, self.kernel.zeros(4 * len(self.table))
        for start in range(0, len(old), GROW_WORDS):
            self._first.rehash(old[start : start + GROW_WORDS], table)
            if len(self.workers) == 1:  # so the old table does not come on top of the memory limit
                release(old, start, min(GROW_WORDS, len(old) - start))
        self.table = table
