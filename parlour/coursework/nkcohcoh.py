"""The n-k-coh-coh course program: recommends a move; the last line printed is the board after it.

BOARD is N * N characters w, b and . by rows from the top; whose turn it is follows from counting. SECONDS is the time
from the start of the process to its end. A better move that is found on the way is printed as it comes, so that
whoever stops the program early has a board as its last line too.

parlour course nkcohcoh 3 3 .w......b 1"""

from __future__ import annotations

import os
import sys
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress
from typing import NamedTuple

from engine.course.cohcoh import read_board, write_board
from engine.course.deepening import deepen
from engine.game import Move, State
from engine.games.cohcoh import CohCoh
from parlour.coursework.age import process_age

LONGEST = 86_400.0
FIRST_LOOK = 0.15  # seconds for the plain search that needs no further import
WORTH_MORE = 0.5  # with less, importing engine.search would cost more than it gives
WORTH_COMPILING = 8.0  # the first time for a size of board
JOIN = 0.01
VERDICTS = {1: ": wins", 0: ": draws", -1: ": loses"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("n", metavar="N", type=int, help="squares along an edge, 1 to 12")
    parser.add_argument("k", metavar="K", type=int, help="marbles in a line that lose, 2 or more")
    parser.add_argument("board", metavar="BOARD", help="like .w......b")
    parser.add_argument("seconds", metavar="SECONDS", type=seconds, help="the time there is, like 2 or 0.1")


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= LONGEST:
        raise ArgumentTypeError(f"SECONDS is a number above 0 and up to {LONGEST:.0f}, not {text[:20]!r}")
    return value


def run(args: Namespace) -> int:
    own = sys.argv[1:3] == ["course", "nkcohcoh"]  # the process was started for this, and nothing comes after it
    start = time.perf_counter() - (process_age() if own else 0.0)
    game, state = read_board(args.n, args.k, args.board)
    if (outcome := game.outcome(state)) is not None:
        print("The game is over:", "the board is full, a draw." if outcome.winner is None else lost(game, state))
        print(args.board)
        return 0
    adviser = Adviser(game, state, deadline=start + args.seconds - margin(args.seconds))
    adviser.look(FIRST_LOOK if args.seconds >= WORTH_MORE else args.seconds)
    if args.seconds >= WORTH_MORE and not adviser.decided:
        adviser.think(args.seconds)
    adviser.close()
    if own:  # what Python does on leaving takes milliseconds; a thread may be compiling yet
        os._exit(0)
    return 0


def lost(game: CohCoh, state: State) -> str:
    return f"{game.sides[1 - state.turn]} has made a line of {game.rules.K} and has lost."


def margin(seconds: float) -> float:
    """What is kept for leaving the process, and for a machine that has other things to do."""
    return min(0.25, 0.015 + 0.05 * seconds)


class Advice(NamedTuple):
    move: Move
    depth: int
    verdict: str


class Adviser:
    """Says which move it thinks best, says so again when it changes its mind, and once more with all it has found."""

    def __init__(self, game: CohCoh, state: State, deadline: float) -> None:
        self.game = game
        self.state = state
        self.deadline = deadline
        self.decided = False
        self._advice = self._said = Advice(-1, 0, "")
        self._speaking = threading.Lock()
        self._closed = False

    def left(self) -> float:
        return self.deadline - time.perf_counter()

    def consider(self, advice: Advice) -> None:
        with self._speaking:
            if not self._closed:
                self._advice = advice
                if advice.move != self._said.move:
                    self._say()

    def close(self) -> None:
        """The last word: whatever a thread finds from now on is not heard."""
        with self._speaking:
            self._closed = True
            if self._advice != self._said:
                self._say()

    def _say(self) -> None:
        """A recommendation and the board after it, in one write so that nobody can see the one without the other."""
        self._said = self._advice
        move, depth, verdict = self._said
        side, square = self.game.sides[self.state.turn], self.game.format(self.state, move)
        board = write_board(self.game, self.game.after(self.state, move))
        sys.stdout.write(f"{side} plays {square} (cell {move}), depth {depth}{verdict}\n{board}\n")
        sys.stdout.flush()

    def look(self, longest: float) -> None:
        """The course's own alpha-beta, here and now."""
        until = min(self.deadline, time.perf_counter() + longest)
        empty = self.game.dump(self.state).count(".")
        for found in deepen(self.game, self.state, "windows", empty, lambda: time.perf_counter() >= until):
            self.decided = found.decided or found.depth == empty
            value = (found.value > 0) - (found.value < 0) if found.decided else 0
            self.consider(Advice(found.move, found.depth, VERDICTS[value] if self.decided else ""))

    def think(self, seconds: float) -> None:
        """Parlour's strong search, in a thread: whatever it is busy with at the deadline, we leave in time."""
        cancel = threading.Event()
        thread = threading.Thread(target=self._strong, args=(seconds, cancel), daemon=True)
        thread.start()
        thread.join(max(0.0, self.left()))
        cancel.set()
        thread.join(JOIN)

    def _strong(self, seconds: float, cancel: threading.Event) -> None:
        from engine.search import Limits, Report, Thinker

        def heard(report: Report) -> None:
            if report.move is not None:
                self.decided = report.proved
                verdict = VERDICTS[round(report.value)] if report.proved else ""
                self.consider(Advice(report.move, report.depth, verdict))

        def compiling(sentence: str) -> None:
            if seconds < WORTH_COMPILING:
                raise TooShort

        try:
            thinker = Thinker(self.game, notice=compiling)
        except TooShort:
            thinker = Thinker(self.game, compiled=False)
        with suppress(OSError):  # whoever reads our lines has gone; the main thread will notice too
            heard(thinker.think(self.state, Limits(seconds=max(0.0, self.left())), cancel, heard))


class TooShort(Exception):
    """Compiling would take most of the time there is."""
