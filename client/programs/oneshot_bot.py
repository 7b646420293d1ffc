"""A bot that runs a program of an assignment once per turn, each time in a new folder."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from client.programs.adapters.base import Adapter, ProgramInput, fill
from client.programs.child import Child
from client.programs.crash_report import Transcript
from client.programs.failure import Failure
from client.programs.process import Exit
from client.programs.program import OVERTIME_S, Program
from client.programs.workdir import WorkdirFactory, write_files
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.note import Note
from engine.errors import shorten
from engine.game import Game, Move, State

MAX_SAID_CHARS = 120


class OneShotBot(Bot):
    """One game of a program that is run once per turn."""

    overtime = OVERTIME_S

    def __init__(self, program: Program, adapter: Adapter, workdirs: WorkdirFactory) -> None:
        self.program, self.adapter, self._workdirs = program, adapter, workdirs
        # the program chooses all moves of a turn at once: those still to be played
        self._planned: dict[State, Move] = {}
        self._child: Child | None = None
        self._failures = 0
        self._mistake = ""  # of the last output, which counts nevertheless
        self.wall = self.cpu = 0.0  # seconds of the whole game

    def choose(self, game: Game, state: State, budget: Budget) -> Thought:
        """Run the program, as often as its settings allow. Raises Failure after that."""
        if state in self._planned:
            return Thought(game.format(state, self._planned[state]), Note(text="the same turn"))
        while True:
            try:
                return self._run(game, state, budget)
            except Failure:
                self._failures += 1
                if budget.cancelled.is_set():
                    raise Failure("stopped", "the answer is no longer needed") from None
                if self._failures > self.program.retries or not budget.remaining():
                    raise

    def _run(self, game: Game, state: State, budget: Budget) -> Thought:
        began = time.monotonic()
        given = self.adapter.prepare(game, state, self.program.depth, budget.seconds)
        argv = fill(self.program.argv, given, self.adapter.default_args)
        with self._workdirs.folder(lambda: budget.cancelled.is_set() or not budget.remaining()) as folder:
            write_files(folder, given.files, self.adapter.output)
            try:
                turn = self._play(game, state, budget, folder, argv, given)
            except Failure as failure:
                if not budget.cancelled.is_set():
                    self.program.report(
                        failure, game, state, budget,
                        wall=time.monotonic() - began, transcript=self._transcript(given), command=argv, files=folder,
                        more={"input files": dict(given.files)},
                    )  # fmt: skip
                raise
        self._plan(game, state, turn)
        assert self._child is not None
        assert self._child.exit is not None
        wall, cpu = time.monotonic() - began, self._child.exit.cpu
        self.wall, self.cpu = self.wall + wall, self.cpu + cpu
        text = f"lenient: {self._mistake}" if self._mistake else ""
        return Thought(game.format(state, turn[0]), Note(wall=wall, cpu=cpu, text=text))

    def _play(
        self, game: Game, state: State, budget: Budget, folder: Path, argv: list[str], given: ProgramInput
    ) -> tuple[Move, ...]:
        self._child = None  # not the one of an earlier turn, if this one cannot be started
        self._child = child = Child(argv, folder, self.program.limits, self.program.jail)
        if budget.cancelled.is_set():
            child.kill()
        try:
            output = child.finish(given.stdin.encode(), budget.remaining())
        except Failure:
            child.stop()
            raise
        exit = child.close()
        self._mistake = ""
        try:
            return self.adapter.read(game, state, folder, output)
        except Failure as failure:
            if self.program.lenient:
                with suppress(Failure):
                    turn = self.adapter.read_leniently(game, state, folder, output)
                    self._mistake = str(failure)
                    return turn
            raise explain_failure(failure, child, exit) from None

    def _transcript(self, given: ProgramInput) -> Transcript:
        return Transcript(given=given.stdin.encode()) if self._child is None else self._child.transcript()

    def _plan(self, game: Game, state: State, turn: tuple[Move, ...]) -> None:
        self._planned.clear()
        for move in turn:
            self._planned[state] = move
            state = game.after(state, move)

    def stop(self) -> None:
        """Kill the program. `choose`, in another thread, then fails."""
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Kill the program. The thread in `choose` does the rest."""
        self.stop()


def explain_failure(failure: Failure, child: Child, exit: Exit) -> Failure:
    """Return a failure with what the program said: how it ended or, if it exited normally, the end of its output."""
    if exit.status != 0:
        return Failure("exited", f"{failure}; {child.describe_end(exit)}", failure.move)
    printed = child.said.text().strip().splitlines()
    said = child.last_error() or (printed[-1] if printed else "")
    limit = child.limit_met(exit)
    quoted = f"; it printed {shorten(said, MAX_SAID_CHARS)!r}" if said and repr(said) not in str(failure) else ""
    return Failure(failure.kind, f"{failure}{quoted}{f' ({limit})' if limit else ''}", failure.move)
