"""Run the n-k-coh-coh course program: recommend a move. The last line printed is the board after it.

parlour course nkcohcoh 3 3 .w......b 1

BOARD has N * N characters w, b and . by rows from the top. The number of marbles tells whose turn
it is. --explain first lists the side to move and the successors that differ under symmetry, with
their evaluations. SECONDS is the time from the start of the process to its end. The program prints
every better move as soon as it is found, so the last line is a board even if the program is stopped
early.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress
from typing import NamedTuple

from engine.course.cohcoh import read_board, successors, write_board
from engine.course.deepening import deepen
from engine.game import Move, State
from engine.games.cohcoh import CohCoh
from parlour.coursework.age import process_age

MAX_TIME_S = 86_400.0
PLAIN_SEARCH_S = 0.15  # for the plain search, which needs no further import
MIN_STRONG_SEARCH_S = 0.5  # with less, importing engine.search costs more than it gains
MIN_COMPILE_S = 8.0  # with less, code for a new board size is not compiled
THREAD_JOIN_S = 0.01
EVALUATION = "windows"
VERDICTS = {1: ": wins", 0: ": draws", -1: ": loses"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("n", metavar="N", type=int, help="size of the board, 1 to 12")
    parser.add_argument("k", metavar="K", type=int, help="length of a line that loses, 2 or more")
    parser.add_argument("board", metavar="BOARD", help="for example .w......b")
    text = "first list the successors that differ under symmetry, with their evaluations"
    parser.add_argument("--explain", action="store_true", help=text)
    parser.add_argument("seconds", metavar="SECONDS", type=seconds, help="the time limit, for example 2 or 0.1")


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= MAX_TIME_S:
        raise ArgumentTypeError(f"expected a number above 0 and up to {MAX_TIME_S:.0f}, not {text[:20]!r}")
    return value


def run(args: Namespace) -> int:
    own = sys.argv[1:3] == ["course", "nkcohcoh"]  # this process runs nothing else
    start = time.perf_counter() - (process_age() if own else 0.0)
    game, state = read_board(args.n, args.k, args.board)
    if (outcome := game.outcome(state)) is not None:
        print("The game is over:", "the board is full, a draw." if outcome.winner is None else lost(game, state))
        print(args.board)
        return 0
    if args.explain:
        print(explain(game, state))
    adviser = Adviser(game, state, deadline=start + args.seconds - margin(args.seconds))
    adviser.search_plain(PLAIN_SEARCH_S if args.seconds >= MIN_STRONG_SEARCH_S else args.seconds)
    if args.seconds >= MIN_STRONG_SEARCH_S and not adviser.decided:
        adviser.search_strong(args.seconds)
    adviser.close()
    if own:  # skip Python's clean-up: it takes milliseconds, and a thread may still be compiling
        os._exit(0)
    return 0


def explain(game: CohCoh, state: State) -> str:
    """Return the side to move, and the successors that differ under symmetry with their evaluations for that side."""
    side = state.turn
    lines = [f"{game.sides[side]} to move"]
    for board in successors(write_board(game, state)):
        _, after = read_board(game.rules.N, game.rules.K, board)
        outcome = game.outcome(after)
        result = "" if outcome is None else "draws" if outcome.winner is None else "loses"
        lines.append(f"{board}  {result or f'{game.evaluate(EVALUATION, after, side):+d}'}")
    return "\n".join(lines)


def lost(game: CohCoh, state: State) -> str:
    return f"{game.sides[1 - state.turn]} has made a line of {game.rules.K} and has lost."


def margin(seconds: float) -> float:
    """Return the seconds to reserve for exiting the process and for a busy machine."""
    return min(0.25, 0.015 + 0.05 * seconds)


class Advice(NamedTuple):
    """A recommended move, the depth of its search, and a verdict if it is proved."""

    move: Move
    depth: int
    verdict: str


class Adviser:
    """Searches until a deadline, and prints the best move whenever it changes and at the end."""

    def __init__(self, game: CohCoh, state: State, deadline: float) -> None:
        self.game = game
        self.state = state
        self.deadline = deadline
        self.decided = False
        self._advice = self._printed = Advice(-1, 0, "")
        self._lock = threading.Lock()
        self._closed = False

    def seconds_left(self) -> float:
        return self.deadline - time.perf_counter()

    def consider(self, advice: Advice) -> None:
        """Take over new advice, and print it if the move is a different one."""
        with self._lock:
            if not self._closed:
                self._advice = advice
                if advice.move != self._printed.move:
                    self._print()

    def close(self) -> None:
        """Print the final advice, and ignore advice that comes later."""
        with self._lock:
            self._closed = True
            if self._advice != self._printed:
                self._print()

    def _print(self) -> None:
        """Print the move and the board after it in one write, so that a reader never gets only one of them."""
        self._printed = self._advice
        move, depth, verdict = self._printed
        side, square = self.game.sides[self.state.turn], self.game.format(self.state, move)
        board = write_board(self.game, self.game.after(self.state, move))
        sys.stdout.write(f"{side} plays {square} (cell {move}), depth {depth}{verdict}\n{board}\n")
        sys.stdout.flush()

    def search_plain(self, seconds: float) -> None:
        """Search with the alpha-beta of the course."""
        until = min(self.deadline, time.perf_counter() + seconds)
        empty = self.game.dump(self.state).count(".")
        for found in deepen(self.game, self.state, EVALUATION, empty, lambda: time.perf_counter() >= until):
            self.decided = found.decided or found.depth == empty
            value = (found.value > 0) - (found.value < 0) if found.decided else 0
            self.consider(Advice(found.move, found.depth, VERDICTS[value] if self.decided else ""))

    def search_strong(self, seconds: float) -> None:
        """Search with Parlour's strong search, in a thread that is abandoned at the deadline."""
        cancel = threading.Event()
        thread = threading.Thread(target=self._run_strong, args=(seconds, cancel), daemon=True)
        thread.start()
        thread.join(max(0.0, self.seconds_left()))
        cancel.set()
        thread.join(THREAD_JOIN_S)

    def _run_strong(self, seconds: float, cancel: threading.Event) -> None:
        from engine.search import Limits, Report, Thinker

        def report_progress(report: Report) -> None:
            if report.move is not None:
                self.decided = report.proved
                verdict = VERDICTS[round(report.value)] if report.proved else ""
                self.consider(Advice(report.move, report.depth, verdict))

        def refuse_compiling(sentence: str) -> None:
            if seconds < MIN_COMPILE_S:
                raise TooShort

        try:
            thinker = Thinker(self.game, notice=refuse_compiling)
        except TooShort:
            thinker = Thinker(self.game, compiled=False)
        with suppress(OSError):  # the reader of our output is gone; the main thread notices that too
            limits = Limits(seconds=max(0.0, self.seconds_left()))
            report_progress(thinker.think(self.state, limits, cancel, report_progress))


class TooShort(Exception):
    """Raised if compiling would take most of the time."""
