"""A bot that runs a program of an assignment once for every turn, each time in a folder of its own."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from client.bot import Bot, Budget, Thought
from client.bridges.adapters.base import Adapter, Run, fill
from client.bridges.child import Child
from client.bridges.failure import Failure
from client.bridges.forensics import Case, keep
from client.bridges.program import Program
from client.note import Note
from engine.game import Game, Move, State


class HomeworkBot(Bot):
    def __init__(self, program: Program, adapter: Adapter, copied: Path | None) -> None:
        self.program, self.adapter, self._copied = program, adapter, copied
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
        with tempfile.TemporaryDirectory(prefix="parlour-") as name:
            folder = Path(name) / "run"
            run = self.adapter.prepare(game, state, self.program.depth, budget.seconds)
            words = fill(self.program.words, run, self.adapter.default)
            self._lay_out(folder, run)
            try:
                turn = self._play(game, state, budget, folder, words, run)
            except Failure as failure:
                if not budget.cancelled.is_set():
                    self._keep(failure, game, state, budget, time.monotonic() - began, words, run, folder)
                raise
        self._plan(game, state, turn)
        assert self._child is not None
        assert self._child.exit is not None
        wall, cpu = time.monotonic() - began, self._child.exit.cpu
        self.wall, self.cpu = self.wall + wall, self.cpu + cpu
        return Thought(game.format(state, turn[0]), Note(wall=wall, cpu=cpu))

    def _lay_out(self, folder: Path, run: Run) -> None:
        if self._copied is not None:
            shutil.copytree(self._copied, folder, symlinks=True)
        else:
            folder.mkdir()
        for name, text in run.files.items():
            (folder / name).write_text(text)

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
            last = child.errors.text().strip().splitlines()
            why = f": {last[-1][:160]}" if last else ""
            raise Failure("exited", f"{failure}; {exit}{why}", failure.move) from None

    def _plan(self, game: Game, state: State, turn: tuple[Move, ...]) -> None:
        self._planned.clear()
        for move in turn:
            self._planned[state] = move
            state = game.after(state, move)

    def _keep(
        self,
        failure: Failure,
        game: Game,
        state: State,
        budget: Budget,
        wall: float,
        words: list[str],
        run: Run,
        folder: Path,
    ) -> None:
        keep(
            Case(
                failure=failure,
                game=game,
                state=state,
                budget=budget,
                bot=self.program.name,
                wall=wall,
                child=self._child,
                command=words,
                given=run.stdin.encode(),
                files=folder,
                more={"input files": dict(run.files)},
            ),
            self.program.forensics,
        )

    def stop(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def close(self) -> None:
        with suppress(Failure):
            if self._child is not None and self._child.exit is None:
                self._child.stop()
