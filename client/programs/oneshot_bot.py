"""A bot that runs a program of an assignment once for every turn, each time in a folder of its own."""

from __future__ import annotations

import time
from pathlib import Path

from client.programs.adapters.base import Adapter, Run, fill
from client.programs.child import Child
from client.programs.failure import Failure
from client.programs.program import OVERTIME, Program
from client.programs.workdir import Workshop, place
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.note import Note
from engine.game import Game, Move, State


class HomeworkBot(Bot):
    overtime = OVERTIME

    def __init__(self, program: Program, adapter: Adapter, workshop: Workshop) -> None:
        self.program, self.adapter, self._workshop = program, adapter, workshop
        self._planned: dict[State, Move] = {}  # the rest of a turn that the program has decided already
        self._child: Child | None = None
        self._failures = 0
        self.wall = self.cpu = 0.0

    def choose(self, game: Game, state: State, budget: Budget) -> Thought:
        if state in self._planned:
            return Thought(game.format(state, self._planned[state]), Note(text="the same turn"))
        while True:
            try:
                return self._run(game, state, budget)
            except Failure:
                self._failures += 1
                if budget.cancelled.is_set():
                    raise Failure("stopped", "nobody waits for its answer") from None
                if self._failures > self.program.retries or not budget.remaining():
                    raise

    def _run(self, game: Game, state: State, budget: Budget) -> Thought:
        began = time.monotonic()
        run = self.adapter.prepare(game, state, self.program.depth, budget.seconds)
        words = fill(self.program.words, run, self.adapter.default)
        with self._workshop.folder(lambda: budget.cancelled.is_set() or not budget.remaining()) as folder:
            place(folder, run.files, self.adapter.output)
            try:
                turn = self._play(game, state, budget, folder, words, run)
            except Failure as failure:
                if not budget.cancelled.is_set():
                    self.program.keep(
                        failure, game, state, budget,
                        wall=time.monotonic() - began, child=self._child, command=words, files=folder,
                        given=run.stdin.encode(), more={"input files": dict(run.files)},
                    )  # fmt: skip
                raise
        self._plan(game, state, turn)
        assert self._child is not None
        assert self._child.exit is not None
        wall, cpu = time.monotonic() - began, self._child.exit.cpu
        self.wall, self.cpu = self.wall + wall, self.cpu + cpu
        return Thought(game.format(state, turn[0]), Note(wall=wall, cpu=cpu))

    def _play(
        self, game: Game, state: State, budget: Budget, folder: Path, words: list[str], run: Run
    ) -> tuple[Move, ...]:
        self._child = child = Child(words, folder, self.program.limits)
        if budget.cancelled.is_set():
            child.kill()
        try:
            said = child.finish(run.stdin.encode(), budget.remaining())
        except Failure:
            child.stop()
            raise
        exit = child.close()
        try:
            return self.adapter.read(game, state, folder, said)
        except Failure as failure:
            if exit.status == 0:
                raise
            raise Failure("exited", f"{failure}; {child.end(exit)}", failure.move) from None

    def _plan(self, game: Game, state: State, turn: tuple[Move, ...]) -> None:
        self._planned.clear()
        for move in turn:
            self._planned[state] = move
            state = game.after(state, move)

    def stop(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        self.stop()  # whoever still waits for it sees to the rest
