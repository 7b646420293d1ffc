"""A bot that is a program: it keeps running, reads a JSON line for each move and answers with a line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from client.programs import line_protocol
from client.programs.child import Child
from client.programs.crash_report import Transcript
from client.programs.failure import Failure
from client.programs.program import OVERTIME_S, Program
from client.sdk import note
from client.sdk.bot import Bot, Budget, Thought
from engine.errors import shorten
from engine.game import Game, Outcome, Side, State

DROP_TIMEOUT_S = 2.0  # for the threads that use a child to notice that it was killed
EARLY_EXIT_S = 0.3  # in which a program exits that cannot play at all
MIN_RETRY_S = 0.05  # with less time left, the program is not asked again


class ProgramPool:
    """The running copies of a program. After a game, a healthy one waits here for the next game."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._lock = threading.Condition()
        self._closed = False

    def take(self) -> Child:
        """Return an idle copy or a new one. Raises Failure if it is not ready in time."""
        program = self.program
        with self._lock:
            if self._closed:
                raise Failure("stopped", "the bot has stopped")
            child = self._idle.pop() if self._idle else None
            fresh = child is None
            child = child or Child(program.argv, program.folder, program.limits, program.jail)
            self._busy.add(child)
        if program.greeting is not None and fresh:
            self._wait_ready(child, *program.greeting)
        return child

    def _wait_ready(self, child: Child, greeting: bytes, reply: str) -> None:
        deadline = child.started_at + self.program.limits.startup
        try:
            if greeting:
                child.tell(greeting)
            while child.listen(max(0.0, deadline - time.monotonic())).strip() != reply:
                pass
        except Failure as failure:
            failure = with_flush_hint(failure, child, lambda line: line.strip() == reply)
            self.drop(child)
            last = child.last_error()
            why = f" ({last})" if last and last not in str(failure) else ""
            raise Failure("start", f"it was not ready to play: {failure}{why}") from None

    def drop(self, child: Child) -> None:
        """End a copy that has failed."""
        child.stop()
        with self._lock:
            self._busy.discard(child)
            self._lock.notify_all()

    def put_back(self, child: Child) -> None:
        """Keep a healthy copy for the next game."""
        with self._lock:
            self._busy.discard(child)
            if not self._closed:
                self._idle.append(child)
                return
        child.stop()

    def warm(self) -> None:
        """Start a copy before the first game. Raises Failure if it exits before the first request."""
        child = self.take()
        if self.program.greeting is None and child.exited(EARLY_EXIT_S):
            self.drop(child)
            assert child.exit is not None
            how = "a bot must keep running and answer every line: start it by hand to see why it ends"
            raise Failure("start", f"{child.describe_end(child.exit)}; {how}")
        self.put_back(child)

    def close(self) -> None:
        """End all copies: the idle ones gently; the busy ones are killed here and dropped by the threads using them."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for child in self._busy:
                child.kill()
        for child in idle:
            child.close()
        with self._lock:
            self._lock.wait_for(lambda: not self._busy, DROP_TIMEOUT_S)


class LineBot(Bot):
    """One game of a program that speaks the line protocol."""

    def __init__(self, pool: ProgramPool) -> None:
        self.pool, self.program = pool, pool.program
        self._child: Child | None = None
        self.overtime = self.program.limits.startup + OVERTIME_S
        self._failures = 0
        self.wall = self.cpu = 0.0  # seconds of the whole game

    def choose(self, game: Game, state: State, budget: Budget) -> Thought:
        """Ask the program for a move; restart it as often as its settings allow. Raises Failure after that."""
        while True:
            began = time.monotonic()
            try:
                return self._ask(game, state, budget)
            except Failure as failure:
                child = self._drop()
                if budget.cancelled.is_set():
                    raise Failure("stopped", "the answer is no longer needed") from None
                request = line_protocol.encode_move_request(game, state, budget) + b"\n"
                self.program.report(
                    failure, game, state, budget,
                    wall=time.monotonic() - began,
                    transcript=Transcript(given=request) if child is None else child.transcript(),
                    command=self.program.argv, cwd=self.program.folder.absolute(),
                )  # fmt: skip
                self._failures += 1
                if self._failures > self.program.retries or budget.remaining() < MIN_RETRY_S:
                    raise

    def _ask(self, game: Game, state: State, budget: Budget) -> Thought:
        if self._child is None:
            self._child = self.pool.take()
        child = self._child
        fresh = not child.answers and self.program.greeting is None and budget.left is None
        startup = self.program.limits.startup if fresh else 0.0
        began, cpu_before = time.monotonic(), child.cpu()
        try:
            text = self.exchange(child, game, state, budget, startup)
        except Failure as failure:
            raise with_flush_hint(failure, child, lambda line: self.is_answer(game, state, line)) from None
        wall, cpu = time.monotonic() - began, child.cpu()
        try:
            thought = line_protocol.parse_answer(game, state, text)
        except Failure as failure:
            if failure.kind == "garbage" and child.floods():
                raise Failure("flood", f"it floods its output, with lines like {shorten(text)!r}") from None
            raise
        self.wall += wall
        measured = replace(note.parse_note(str(thought.note)), wall=wall)
        if cpu is not None and cpu_before is not None:
            used = max(0.0, cpu - cpu_before)  # less if a process that it had started has exited
            self.cpu += used
            measured = replace(measured, cpu=used)
        return Thought(thought.move, measured)

    def exchange(self, child: Child, game: Game, state: State, budget: Budget, startup: float) -> str:
        """Ask for a move and return the answer, as the line protocol has it. Raises Failure."""
        return child.ask(line_protocol.encode_move_request(game, state, budget), budget.remaining(), startup)

    def is_answer(self, game: Game, state: State, line: str) -> bool:
        """Return whether a line answers the request for a move."""
        return line_protocol.is_answer(game, state, line)

    def _drop(self) -> Child | None:
        """End a child that failed and return it: its output stays readable."""
        child, self._child = self._child, None
        if child is not None:
            self.pool.drop(child)
        return child

    def started(self, game: Game, side: Side, opponent: str) -> None:
        """Start the program, possibly while the opponent is thinking."""
        with suppress(Failure):  # it fails again in `choose`, which reports it
            if self._child is None:
                self._child = self.pool.take()
            if self.program.events:
                self._child.tell(line_protocol.encode_started(game, side, opponent))

    def ended(self, game: Game, outcome: Outcome) -> None:
        """Tell the program the result, if it wants events."""
        if self.program.events and self._child is not None:
            try:
                self._child.tell(line_protocol.encode_ended(game, outcome))
            except Failure:
                self._drop()

    def stop(self) -> None:
        """Kill the program. `choose`, in another thread, then fails."""
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Return a healthy program to the pool."""
        child, self._child = self._child, None
        if child is not None and (child.killed or child.exited(0.0)):
            self.pool.drop(child)
        elif child is not None:
            self.pool.put_back(child)


def with_flush_hint(failure: Failure, child: Child, wanted: Callable[[str], bool]) -> Failure:
    """Return a timeout with a hint if the program prints the wanted line when its input ends."""
    if failure.kind == "timeout" and not child.answers:
        for line in filter(wanted, child.last_lines()):
            hint = f"it printed {shorten(line)!r} only when its input ended: flush the output after every line"
            return Failure("timeout", f"{failure}; {hint}")
    return failure
