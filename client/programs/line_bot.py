"""A bot that is a program: a persistent child which reads a JSON line for every move and answers with a line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from client.programs import line_protocol
from client.programs.child import Child
from client.programs.failure import Failure
from client.programs.program import OVERTIME, Program
from client.sdk import note
from client.sdk.bot import Bot, Budget, Thought
from engine.errors import shorten
from engine.game import Game, Outcome, Side, State

DROPPING = 2.0  # seconds for those who talk to a child to see that it was killed
SETTLING = 0.3  # seconds in which a program ends that cannot play at all
LEAST = 0.05  # seconds: with less left there is no use in asking again


class Pool:
    """The running copies of a program. One that ended a game in good health waits here for the next."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._lock = threading.Condition()
        self._closed = False

    def take(self) -> Child:
        """One that waits, or a new one; Failure if it does not come up in time."""
        program = self.program
        with self._lock:
            if self._closed:
                raise Failure("stopped", "nobody plays here any more")
            child = self._idle.pop() if self._idle else None
            fresh = child is None
            child = child or Child(program.words, program.folder, program.limits)
            self._busy.add(child)
        if program.ready and fresh:
            self._await_ready(child)
        return child

    def _await_ready(self, child: Child) -> None:
        until = child.began + self.program.limits.startup
        try:
            while child.listen(max(0.0, until - time.monotonic())).strip() != line_protocol.READY:
                pass
        except Failure as failure:
            failure = flushed_or_not(failure, child, lambda line: line.strip() == line_protocol.READY)
            self.drop(child)
            last = child.last_error()
            why = f" ({last})" if last and last not in str(failure) else ""
            raise Failure("start", f"it was not ready to play: {failure}{why}") from None

    def drop(self, child: Child) -> None:
        """Get rid of one that failed."""
        child.stop()
        with self._lock:
            self._busy.discard(child)
            self._lock.notify_all()

    def give(self, child: Child) -> None:
        with self._lock:
            self._busy.discard(child)
            if not self._closed:
                self._idle.append(child)
                return
        child.stop()

    def warm(self) -> None:
        """Have one ready before the first game; Failure if it ends before it is asked anything."""
        child = self.take()
        if not self.program.ready and child.exited(SETTLING):
            self.drop(child)
            assert child.exit is not None
            raise Failure("start", f"it has not waited to be asked: {child.end(child.exit)}")
        self.give(child)

    def close(self) -> None:
        """Those that wait may leave by themselves; one that somebody still talks to is killed, and dropped there."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for child in self._busy:
                child.kill()
        for child in idle:
            child.close()
        with self._lock:
            self._lock.wait_for(lambda: not self._busy, DROPPING)


class ExecBot(Bot):
    def __init__(self, pool: Pool) -> None:
        self.pool, self.program = pool, pool.program
        self._child: Child | None = None
        self.overtime = self.program.limits.startup + OVERTIME
        self._failures = 0
        self.wall = self.cpu = 0.0  # of the whole game

    def choose(self, game: Game, state: State, budget: Budget) -> Thought:
        while True:
            began = time.monotonic()
            try:
                return self._ask(game, state, budget)
            except Failure as failure:
                child = self._drop()
                if budget.cancelled.is_set():
                    raise Failure("stopped", "nobody waits for its answer") from None
                self.program.keep(
                    failure, game, state, budget,
                    wall=time.monotonic() - began, child=child, command=self.program.words,
                    folder=self.program.folder.absolute(), given=line_protocol.question(game, state, budget) + b"\n",
                )  # fmt: skip
                self._failures += 1
                if self._failures > self.program.retries or budget.remaining() < LEAST:
                    raise

    def _ask(self, game: Game, state: State, budget: Budget) -> Thought:
        if self._child is None:
            self._child = self.pool.take()
        child = self._child
        fresh = not child.answers and not self.program.ready and budget.left is None
        startup = self.program.limits.startup if fresh else 0.0
        began, cpu_before = time.monotonic(), child.cpu()
        try:
            text = child.ask(line_protocol.question(game, state, budget), budget.remaining(), startup)
        except Failure as failure:
            raise flushed_or_not(failure, child, lambda line: line_protocol.is_answer(game, state, line)) from None
        wall, cpu = time.monotonic() - began, child.cpu()
        try:
            thought = line_protocol.answer(game, state, text)
        except Failure as failure:
            if failure.kind == "garbage" and child.floods():
                raise Failure("flood", f"it floods its output, with lines like {shorten(text)!r}") from None
            raise
        self.wall += wall
        said = replace(note.parse_note(str(thought.note)), wall=wall)
        if cpu is not None and cpu_before is not None:
            self.cpu += cpu - cpu_before
            said = replace(said, cpu=cpu - cpu_before)
        return Thought(thought.move, said)

    def _drop(self) -> Child | None:
        """Get rid of a child that failed; what it said stays readable."""
        child, self._child = self._child, None
        if child is not None:
            self.pool.drop(child)
        return child

    def started(self, game: Game, side: Side, opponent: str) -> None:
        """The program comes up while the opponent may still be thinking."""
        with suppress(Failure):  # then it fails again when it is asked, and the failure has a place to go
            if self._child is None:
                self._child = self.pool.take()
            if self.program.events:
                self._child.tell(line_protocol.beginning(game, side, opponent))

    def ended(self, game: Game, outcome: Outcome) -> None:
        if self.program.events and self._child is not None:
            try:
                self._child.tell(line_protocol.end(game, outcome))
            except Failure:
                self._drop()

    def stop(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.exited(0.0):
            self.pool.drop(child)
        elif child is not None:
            self.pool.give(child)


def flushed_or_not(failure: Failure, child: Child, wanted: Callable[[str], bool]) -> Failure:
    """The failure of one that has not said a thing in time, with what it says when its input ends, if that is it."""
    if failure.kind == "timeout" and not child.answers:
        for line in filter(wanted, child.last_lines()):
            hint = f"it said {shorten(line)!r} only when its input ended: it should flush its output after every line"
            return Failure("timeout", f"{failure}; {hint}")
    return failure
