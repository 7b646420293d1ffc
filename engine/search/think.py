"""Thinking about a position: iterative deepening within limits, and solving it outright."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.game import Game, Move, State
from engine.search import tree
from engine.search.kernel import Notice, kernel
from engine.search.primitives import mix

SLICE = 0.002  # seconds between two looks at the clock
BEAT = 5.0  # seconds between two signs of life
TABLE_MB = 64
FIRST_BUCKETS = 1 << 12  # of the table, which grows as it fills; plain Python is too slow to fill more
LONGEST_LINE = 60
MOST_DEPTH = 200
MOST_PAST = 100  # positions of the game that are looked at for repetition
FIRST_LOOK = 100_000  # nodes of deepening before a position is solved: a guess at its value, and good moves


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: whichever comes first. Without any, think until the value is proved."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. `value` is for the side to move, in the game's own points (1, 0, -1 where it has none)."""

    move: Move | None
    value: float
    proved: bool
    line: tuple[Move, ...]
    depth: int
    nodes: int
    seconds: float
    low: float | None = None  # while solving: the value is proved to lie between
    high: float | None = None


Progress = Callable[[Report], None]


class Stopped(Exception):
    """The limits have been reached."""


def quiet(anything: object) -> None:
    """Tell nobody."""


def think(game: Game, state: State, limits: Limits, compiled: bool | None = None, notice: Notice = quiet) -> Report:
    """Think once about one position. To think about many, keep a Thinker."""
    return Thinker(game, compiled=compiled, notice=notice).think(state, limits)


class Thinker:
    """A search of one game that keeps what it has found from move to move. One thread at a time may use it.

    While it runs compiled code the interpreter's lock is free, so other threads go on. `cancel` ends it from outside.
    """

    def __init__(
        self, game: Game, table_mb: float = TABLE_MB, compiled: bool | None = None, notice: Notice = quiet
    ) -> None:
        self.game = game
        self.kernel = kernel(game, compiled, notice)
        plies = tree.MAX_PLY + 2
        words = self.kernel.words
        self._most_buckets = max(1, int(table_mb * (1 << 20)) // (16 * tree.WAYS)) if self.kernel.compiled else 0
        buckets = FIRST_BUCKETS
        self._stack, self._table = words(plies * tree.FRAME), words(buckets * 2 * tree.WAYS)
        self._moves, self._weights = words(plies * self.kernel.most_moves), words(plies * self.kernel.most_moves)
        self._history, self._control = words(2 * self.kernel.most_moves), words(tree.CONTROL)
        self._control[tree.MASK] = buckets - 1
        self._budget = 256

    def think(
        self,
        state: State,
        limits: Limits,
        cancel: threading.Event | None = None,
        progress: Progress = quiet,
        past: Sequence[State] = (),
    ) -> Report:
        """The best move that can be found within the limits. Deepens move by move; a proof ends it early.

        `past` are the states before this one, for games in which a position can come again: to repeat one is a draw.
        """
        clock = self._begin(limits, cancel)
        self._recall(past)
        report = self._first(state)
        if report.proved:
            return report
        deepest = min(limits.depth or MOST_DEPTH, MOST_DEPTH)
        guess = 0
        try:
            for depth in range(1, deepest + 1):
                guess = self._aspire(state, depth, guess, clock)
                report = self._report(state, depth, guess, self._proved(), clock)
                progress(report)
                if report.proved:
                    break
        except Stopped:
            report = self._interrupted(state, report, clock)
        return report

    def solve(
        self, state: State, limits: Limits, cancel: threading.Event | None = None, progress: Progress = quiet
    ) -> Report:
        """The exact value, if the limits allow: null windows at full depth, from the best guess towards the truth.

        A game that can go in circles has no full depth; there, deepening finds what can be forced.
        """
        if self.game.spec.repetition is not None:
            return self.think(state, limits, cancel, progress)
        clock = self._begin(limits, cancel)
        self._recall(())
        report = self._first(state)
        if report.proved:
            return report
        low, high = self._certain(state)
        report = replace(report, low=low, high=high)
        clock.beat = lambda nodes: progress(replace(report, nodes=nodes, seconds=clock.spent()))
        try:
            guess = 0
            for depth in range(1, MOST_DEPTH):
                guess = self._aspire(state, depth, guess, clock)
                report = replace(self._report(state, depth, guess, self._proved(), clock), low=low, high=high)
                if report.proved or report.nodes > FIRST_LOOK:
                    break
            while low < high:
                aim = min(max(round(report.value), low + 1), high)  # is the value at least that?
                value = self._full(state, aim, clock)
                low, high = (max(low, value), high) if value >= aim else (low, min(high, value))
                found = self._report(state, report.depth, value * self.kernel.unit, low == high, clock)
                report = replace(found, move=found.move if value >= aim else report.move, low=low, high=high)
                progress(report)
            line = self._best_line(state, low, clock)
            return replace(report, move=line[0], line=line, depth=len(line), seconds=clock.spent())
        except Stopped:
            return replace(report, nodes=int(self._control[tree.NODES]), seconds=clock.spent())

    def _full(self, state: State, aim: int, clock: _Clock) -> int:
        """A value that is at least `aim` if the game's is, and less if it is less: one null window, to the end."""
        unit = self.kernel.unit
        return self._search(state, tree.SOLID_DEPTH, unit * aim - 1, unit * aim, clock) // unit

    def _best_line(self, state: State, value: int, clock: _Clock) -> tuple[Move, ...]:
        """A line of best play from a position of known value to the end of the game."""
        line: list[Move] = []
        while self.game.outcome(state) is None:
            move = self._plain_to_see(state, value)
            if move is None:
                self._full(state, value, clock)
                move = int(self._stack[self._root() + tree.BEST_MOVE])
            line.append(move)
            after = self.game.after(state, move)
            value = value if after.turn == state.turn else -value
            state = after
        return tuple(line)

    def _certain(self, state: State) -> tuple[int, int]:
        """What is certain of a position's value before any search."""
        rules = self.game.rules
        if rules.over(state.mine, state.rest):
            return (rules.score(state.mine, state.rest),) * 2
        low, high = rules.bounds(state.mine, state.rest)
        return low, high

    def _plain_to_see(self, state: State, value: int) -> Move | None:
        """A move that reaches a value by the game's hard bounds alone, without a search."""
        for move in self.game.moves(state):
            after = self.game.after(state, move)
            low, high = self._certain(after)
            if (low if after.turn == state.turn else -high) >= value:
                return move
        return None

    # -- one search of the tree

    def _recall(self, past: Sequence[State]) -> None:
        """Put the latest positions of the game below the root, where the search looks for repetitions."""
        known = past[-MOST_PAST:] if self.kernel.cyclic else ()
        self._control[tree.ROOT] = len(known)
        for i, state in enumerate(known):
            self._stack[i * tree.FRAME + tree.MINE], self._stack[i * tree.FRAME + tree.REST] = state.mine, state.rest

    def _begin(self, limits: Limits, cancel: threading.Event | None) -> _Clock:
        control = self._control
        control[tree.NODES] = 0
        control[tree.AGE] = (int(control[tree.AGE]) + 1) % 64
        for i in range(len(self._history)):
            self._history[i] //= 8
        return _Clock(limits, cancel)

    def _root(self) -> int:
        """Where the root's frame begins."""
        return int(self._control[tree.ROOT]) * tree.FRAME

    def _search(self, state: State, depth: int, alpha: int, beta: int, clock: _Clock) -> int:
        """The value of the tree to a depth within a window; Stopped when the limits say so."""
        stack, control = self._stack, self._control
        for field, value in zip(
            (tree.MINE, tree.REST, tree.ALPHA, tree.BETA, tree.DEPTH, tree.SIDE),
            (state.mine, state.rest, alpha, beta, depth, 0),
            strict=True,
        ):
            stack[self._root() + field] = value
        control[tree.RETURNING] = control[tree.DONE] = 0
        control[tree.PLY] = control[tree.ROOT]
        control[tree.ROOT_MOVE] = -1
        while True:
            nodes, start = int(control[tree.NODES]), time.perf_counter()
            control[tree.BUDGET] = min(clock.budget(self._budget, nodes), self._until_growth(nodes))
            self.kernel.run(stack, self._moves, self._weights, self._table, self._history, control)
            spent = time.perf_counter() - start
            if spent > 0:
                rate = (int(control[tree.NODES]) - nodes) / spent
                self._budget = max(16, min(int(rate * SLICE), 1 << 24, 4 * self._budget))
            if control[tree.DONE]:
                return int(control[tree.VALUE])
            clock.check(int(control[tree.NODES]))
            self._grow(int(control[tree.NODES]))

    def _until_growth(self, nodes: int) -> int:
        """The nodes to go before the table grows: always at the same count, so that equal limits give equal answers."""
        buckets = 4 * (int(self._control[tree.MASK]) + 1)
        return 1 << 40 if buckets > self._most_buckets else max(1, buckets * tree.WAYS - nodes)

    def _grow(self, nodes: int) -> None:
        """Make the table four times as large when more positions have been seen than it would hold then.

        Memory that is never touched costs nothing, so small searches stay small. A bucket's entries go to buckets
        that get entries from no other one, so each keeps its place within the bucket.
        """
        if self._until_growth(nodes) > 1 or nodes < 4 * tree.WAYS * (int(self._control[tree.MASK]) + 1):
            return
        buckets = 4 * (int(self._control[tree.MASK]) + 1)
        table = self.kernel.words(buckets * 2 * tree.WAYS)
        for way in range(0, 2 * tree.WAYS, 2):
            checks = self._table[way :: 2 * tree.WAYS]
            places = (checks & (buckets - 1)) * (2 * tree.WAYS) + way
            table[places], table[places + 1] = checks, self._table[way + 1 :: 2 * tree.WAYS]
        self._table = table
        self._control[tree.MASK] = buckets - 1

    def _aspire(self, state: State, depth: int, guess: int, clock: _Clock) -> int:
        """Search around the value of the depth before, and with an open window if that was wrong."""
        margin = self.kernel.unit // 2 + 1
        if depth > 2:
            value = self._search(state, depth, guess - margin, guess + margin, clock)
            if guess - margin < value < guess + margin:
                return value
        return self._search(state, depth, -tree.INFINITY, tree.INFINITY, clock)

    # -- what can be said of it

    def _first(self, state: State) -> Report:
        """An answer before any search: the game's result if it is over, else its first move."""
        outcome = self.game.outcome(state)
        if outcome is not None:
            return Report(None, self.game.rules.score(state.mine, state.rest), True, (), 0, 0, 0.0)
        move = self.game.moves(state)[0]
        return Report(move, 0.0, False, (move,), 0, 0, 0.0)

    def _proved(self) -> bool:
        return bool(self._control[tree.VALUE_SOLID])

    def _report(self, state: State, depth: int, value: int, proved: bool, clock: _Clock) -> Report:
        move, unit = int(self._stack[self._root() + tree.BEST_MOVE]), self.kernel.unit
        nodes = int(self._control[tree.NODES])
        points = value // unit if proved and value % unit == 0 else value / unit
        return Report(move, points, proved, self._line(state, move), depth, nodes, clock.spent())

    def _interrupted(self, state: State, report: Report, clock: _Clock) -> Report:
        """The last whole depth, or the better move that the unfinished one has found already."""
        move, nodes = int(self._control[tree.ROOT_MOVE]), int(self._control[tree.NODES])
        line = report.line
        if move >= 0 and move != report.move:
            line = self._line(state, move)
        else:
            move = report.move if report.move is not None else -1
        return Report(move, report.value, report.proved, line, report.depth, nodes, clock.spent())

    def _line(self, state: State, move: Move) -> tuple[Move, ...]:
        """The line both sides would play, as far as the table remembers it."""
        line = [move]
        state = self.game.after(state, move)
        while len(line) < LONGEST_LINE:
            known = self._known(state)
            if known is None or known not in self.game.moves(state):
                break
            line.append(known)
            state = self.game.after(state, known)
        return tuple(line)

    def _known(self, state: State) -> Move | None:
        check = mix(*self.game.rules.key(state.mine, state.rest))
        slot = (check & int(self._control[tree.MASK])) * (2 * tree.WAYS)
        at = tree.find(self._table, slot, check)
        return None if at < 0 else int(self._table[at + 1]) >> 32 & 255


class _Clock:
    """Limits being watched."""

    def __init__(self, limits: Limits, cancel: threading.Event | None) -> None:
        self._start = time.perf_counter()
        self._limits, self._cancel = limits, cancel
        self._next_beat = BEAT
        self.beat: Callable[[int], None] = quiet

    def spent(self) -> float:
        return time.perf_counter() - self._start

    def budget(self, wanted: int, nodes: int) -> int:
        return wanted if self._limits.nodes is None else max(1, min(wanted, self._limits.nodes - nodes))

    def check(self, nodes: int) -> None:
        limits = self._limits
        if limits.nodes is not None and nodes >= limits.nodes:
            raise Stopped
        if limits.seconds is not None and self.spent() >= limits.seconds - SLICE:
            raise Stopped
        if self._cancel is not None and self._cancel.is_set():
            raise Stopped
        if self.spent() >= self._next_beat:
            self._next_beat = self.spent() + BEAT
            self.beat(nodes)
