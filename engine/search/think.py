"""Thinking about a position: iterative deepening within limits, and solving it outright."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from engine.game import Game, Move, State
from engine.search.driver import MOST_DEPTH, Driver
from engine.search.kernel import Notice
from engine.search.limits import Clock, Limits, Progress, Report, Stopped, quiet
from engine.search.table import INFINITY, SOLID_DEPTH

TABLE_MB = 64
LONGEST_LINE = 60
FIRST_LOOK = 100_000  # nodes of deepening before a position is solved: a guess at its value, and good moves


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
        self.driver = Driver(game, table_mb, compiled, notice)

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
        clock = Clock(limits, cancel)
        self.driver.begin(past)
        report = self._first(state)
        if report.proved:
            return report
        guess = 0
        try:
            for depth in range(1, min(limits.depth or MOST_DEPTH, self.driver.plies_left) + 1):
                guess = self._aspire(state, depth, guess, clock)
                report = self._report(state, depth, guess, self.driver.proved, clock)
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
        clock = Clock(limits, cancel)
        self.driver.begin(())
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
                report = replace(self._report(state, depth, guess, self.driver.proved, clock), low=low, high=high)
                if report.proved or report.nodes > FIRST_LOOK:
                    break
            while low < high:
                aim = min(max(round(report.value), low + 1), high)  # is the value at least that?
                value = self._full(state, aim, clock)
                low, high = (max(low, value), high) if value >= aim else (low, min(high, value))
                found = self._report(state, report.depth, value * self.driver.kernel.unit, low == high, clock)
                report = replace(found, move=found.move if value >= aim else report.move, low=low, high=high)
                progress(report)
            line = self._best_line(state, low, clock)
            value, nodes = low, self.driver.nodes
            return replace(report, move=line[0], value=value, proved=True, line=line, depth=len(line), nodes=nodes)
        except Stopped:
            return replace(report, nodes=self.driver.nodes, seconds=clock.spent())

    # -- searches

    def _aspire(self, state: State, depth: int, guess: int, clock: Clock) -> int:
        """Search around the value of the depth before, and with an open window if that was wrong."""
        margin = self.driver.kernel.unit // 2 + 1
        if depth > 2:
            value = self.driver.search(state, depth, guess - margin, guess + margin, clock)
            if guess - margin < value < guess + margin:
                return value
        return self.driver.search(state, depth, -INFINITY, INFINITY, clock)

    def _full(self, state: State, aim: int, clock: Clock) -> int:
        """A value that is at least `aim` if the game's is, and less if it is less: one null window, to the end."""
        unit = self.driver.kernel.unit
        value = self.driver.search(state, SOLID_DEPTH, unit * aim - 1, unit * aim, clock)
        if not self.driver.proved:  # deeper than the stack
            raise Stopped
        return value // unit

    def _best_line(self, state: State, value: int, clock: Clock) -> tuple[Move, ...]:
        """A line of best play from a position of known value to the end of the game."""
        line: list[Move] = []
        while self.game.outcome(state) is None:
            move = self._plain_to_see(state, value)
            if move is None:
                self._full(state, value, clock)
                move = self.driver.best_move
            line.append(move)
            after = self.game.after(state, move)
            value = value if after.turn == state.turn else -value
            state = after
        return tuple(line)

    def _plain_to_see(self, state: State, value: int) -> Move | None:
        """A move that reaches a value by the game's hard bounds alone, without a search."""
        out = [0] * self.game.rules.MOST_MOVES
        for move in out[: self.game.rules.candidates(state.mine, state.rest, out, 0)]:
            after = self.game.after(state, move)
            low, high = self._certain(after)
            if (low if after.turn == state.turn else -high) >= value:
                return move
        return None

    def _certain(self, state: State) -> tuple[int, int]:
        """What is certain of a position's value before any search."""
        rules = self.game.rules
        if rules.over(state.mine, state.rest):
            return (rules.score(state.mine, state.rest),) * 2
        low, high = rules.bounds(state.mine, state.rest)
        return low, high

    # -- reports

    def _first(self, state: State) -> Report:
        """An answer before any search: the game's result if it is over, else its first move."""
        if self.game.outcome(state) is not None:
            return Report(None, self.game.rules.score(state.mine, state.rest), True, (), 0, 0, 0.0)
        move = self.game.moves(state)[0]
        return Report(move, 0.0, False, (move,), 0, 0, 0.0)

    def _report(self, state: State, depth: int, value: int, proved: bool, clock: Clock) -> Report:
        move, unit = self.driver.best_move, self.driver.kernel.unit
        points = value // unit if proved and value % unit == 0 else value / unit
        return Report(move, points, proved, self._line(state, move), depth, self.driver.nodes, clock.spent())

    def _interrupted(self, state: State, report: Report, clock: Clock) -> Report:
        """The last whole depth, or the better move that the unfinished one has found already."""
        move = self.driver.better_move
        if move is not None and move != report.move:
            report = replace(report, move=move, line=self._line(state, move))
        return replace(report, nodes=self.driver.nodes, seconds=clock.spent())

    def _line(self, state: State, move: Move) -> tuple[Move, ...]:
        """The line both sides would play, as far as the table remembers it."""
        line = [move]
        state = self.game.after(state, move)
        while len(line) < LONGEST_LINE and (known := self.driver.known_move(state)) is not None:
            line.append(known)
            state = self.game.after(state, known)
        return tuple(line)
