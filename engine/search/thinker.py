"""The interface of the search: iterative deepening within limits, and exact solving."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from engine.game import Game, Move, State
from engine.search.driver import MAX_DEPTH, Driver
from engine.search.kernel import Notice
from engine.search.limits import Clock, Limits, Progress, Report, Stopped, ignore
from engine.search.table import INFINITY, SOLID_DEPTH

TABLE_MB = 64
MAX_LINE_PLIES = 60
PRE_SOLVE_NODES = 100_000  # deepening before solving gives a first guess and a good move order


def think(game: Game, state: State, limits: Limits, compiled: bool | None = None, notice: Notice = ignore) -> Report:
    """Search one position. To search several positions of a game, use a Thinker."""
    return Thinker(game, compiled=compiled, notice=notice).think(state, limits)


class Thinker:
    """Searches positions of one game and keeps its table from move to move.

    A Thinker may be used by one thread at a time. Compiled searches release the GIL, so other threads can run. Another
    thread can stop a search by setting `cancel`.
    """

    def __init__(
        self,
        game: Game,
        table_mb: float = TABLE_MB,
        compiled: bool | None = None,
        notice: Notice = ignore,
        threads: int = 1,
        endgames: bool = False,
    ) -> None:
        """Prepare a search. With `endgames`, it uses the endgame table of the game if it is in the cache."""
        self.game = game
        self.driver = Driver(game, table_mb, compiled, notice, threads, endgames)

    def think(
        self,
        state: State,
        limits: Limits,
        cancel: threading.Event | None = None,
        progress: Progress = ignore,
        past: Sequence[State] = (),
    ) -> Report:
        """Return the best move found within the limits. Searches deeper ply by ply; a proof ends the search early.

        `past` are the earlier states of the game, for games in which repetition is a draw.
        """
        clock = Clock(limits, cancel)
        self.driver.prepare(past)
        report = self._initial_report(state)
        if report.proved:
            return report
        guess = 0
        with self.driver.helpers:
            try:
                for depth in range(1, min(limits.depth or MAX_DEPTH, self.driver.plies_left) + 1):
                    guess = self._aspiration_search(state, depth, guess, clock)
                    report = self._report(state, depth, guess, self.driver.proved, clock)
                    progress(report)
                    if report.proved:
                        break
            except Stopped:
                report = self._stopped_report(state, report, clock)
        return report

    def solve(
        self, state: State, limits: Limits, cancel: threading.Event | None = None, progress: Progress = ignore
    ) -> Report:
        """Return the exact value if the limits allow, by null-window searches at full depth, starting from an estimate.

        A game with repetitions has no full depth. There, iterative deepening finds forced results.
        """
        if self.game.spec.repetition is not None:
            return self.think(state, limits, cancel, progress)
        clock = Clock(limits, cancel)
        self.driver.prepare(())
        report = self._initial_report(state)
        if report.proved:
            return report
        low, high = self._static_bounds(state)
        report = replace(report, low=low, high=high)
        clock.on_heartbeat = lambda nodes: progress(replace(report, nodes=nodes, seconds=clock.spent()))
        with self.driver.helpers:
            try:
                guess = 0
                for depth in range(1, MAX_DEPTH):
                    guess = self._aspiration_search(state, depth, guess, clock)
                    report = replace(self._report(state, depth, guess, self.driver.proved, clock), low=low, high=high)
                    if report.proved or report.nodes > PRE_SOLVE_NODES:
                        break
                while low < high:
                    aim = min(max(round(report.value), low + 1), high)  # test whether the value is at least this
                    value = self._null_window_search(state, aim, clock)
                    low, high = (max(low, value), high) if value >= aim else (low, min(high, value))
                    found = self._report(state, report.depth, value * self.driver.kernel.unit, low == high, clock)
                    report = replace(found, move=found.move if value >= aim else report.move, low=low, high=high)
                    progress(report)
                line = self._best_line(state, low, clock)
                value, nodes = low, self.driver.nodes
                return replace(report, move=line[0], value=value, proved=True, line=line, depth=len(line), nodes=nodes)
            except Stopped:
                return replace(report, nodes=self.driver.nodes, seconds=clock.spent())

    def at_least(self, state: State, aim: int, limits: Limits, cancel: threading.Event | None = None) -> bool | None:
        """Return whether the exact value is at least `aim`, or None if that is not proved within the limits."""
        low, high = self._static_bounds(state)
        if low >= aim or high < aim:
            return low >= aim
        if self.game.spec.repetition is not None:
            report = self.think(state, limits, cancel)
            return report.value >= aim if report.proved else None
        clock = Clock(limits, cancel)
        self.driver.prepare(())
        with self.driver.helpers:
            try:
                return self._null_window_search(state, aim, clock) >= aim
            except Stopped:
                return None

    # -- searches

    def _aspiration_search(self, state: State, depth: int, guess: int, clock: Clock) -> int:
        """Search with a window around the previous value, then with a full window if the value is outside."""
        margin = self.driver.kernel.unit // 2 + 1
        if depth > 2:
            value = self.driver.search(state, depth, guess - margin, guess + margin, clock)
            if guess - margin < value < guess + margin:
                return value
        return self.driver.search(state, depth, -INFINITY, INFINITY, clock)

    def _null_window_search(self, state: State, aim: int, clock: Clock) -> int:
        """Test at full depth whether the value is at least `aim`: return a bound >= aim if so, else < aim."""
        unit = self.driver.kernel.unit
        value = self.driver.search(state, SOLID_DEPTH, unit * aim - 1, unit * aim, clock)
        if not self.driver.proved:  # the game is longer than the stack
            raise Stopped
        return value // unit

    def _best_line(self, state: State, value: int, clock: Clock) -> tuple[Move, ...]:
        """Return a line of best play from a position of known value to the end of the game."""
        line: list[Move] = []
        while self.game.outcome(state) is None:
            move = self._move_by_bounds(state, value)
            if move is None:
                self._null_window_search(state, value, clock)
                move = self.driver.best_move
            line.append(move)
            after = self.game.after(state, move)
            value = value if after.turn == state.turn else -value
            state = after
        return tuple(line)

    def _move_by_bounds(self, state: State, value: int) -> Move | None:
        """Return a move whose static bounds guarantee the value, or None."""
        out = [0] * self.game.rules.MAX_MOVES
        for move in out[: self.game.rules.candidates(state.mine, state.rest, out, 0)]:
            after = self.game.after(state, move)
            low, high = self._static_bounds(after)
            if (low if after.turn == state.turn else -high) >= value:
                return move
        return None

    def _static_bounds(self, state: State) -> tuple[int, int]:
        """Return bounds of the value of a position without a search."""
        rules = self.game.rules
        if rules.over(state.mine, state.rest):
            return (rules.score(state.mine, state.rest),) * 2
        low, high = rules.bounds(state.mine, state.rest)
        return low, high

    # -- reports

    def _initial_report(self, state: State) -> Report:
        """Return the report before any search: the result if the game is over, else the first move."""
        if self.game.outcome(state) is not None:
            return Report(None, self.game.rules.score(state.mine, state.rest), True, (), 0, 0, 0.0)
        move = self.game.moves(state)[0]
        return Report(move, 0.0, False, (move,), 0, 0, 0.0)

    def _report(self, state: State, depth: int, value: int, proved: bool, clock: Clock) -> Report:
        move, unit = self.driver.best_move, self.driver.kernel.unit
        points = value // unit if proved and value % unit == 0 else value / unit
        return Report(
            move, points, proved, self._principal_variation(state, move), depth, self.driver.nodes, clock.spent()
        )

    def _stopped_report(self, state: State, report: Report, clock: Clock) -> Report:
        """Return the report of the last finished depth, or the better move that the unfinished depth found."""
        move = self.driver.partial_best_move
        if move is not None and move != report.move:
            report = replace(report, move=move, line=self._principal_variation(state, move))
        return replace(report, nodes=self.driver.nodes, seconds=clock.spent())

    def _principal_variation(self, state: State, move: Move) -> tuple[Move, ...]:
        """Return the expected line of play, as far as it is in the table."""
        line = [move]
        state = self.game.after(state, move)
        while len(line) < MAX_LINE_PLIES and (known := self.driver.table_move(state)) is not None:
            line.append(known)
            state = self.game.after(state, known)
        return tuple(line)
