"""A bot that is a program for a person at a terminal. A recipe tells what it asks and how it shows its moves.

The program plays a whole game from its start, because there is no other way to give it a position.
"""

from __future__ import annotations

import re
import time

from client.programs.child import Child
from client.programs.crash_report import Transcript
from client.programs.failure import Failure
from client.programs.program import OVERTIME_S, Program
from client.programs.recipe import Placeholders, Recipe, clean_output, find_move
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.note import Note
from engine.game import Game, Move, State
from engine.registry import create


class InteractiveBot(Bot):
    """One game of an interactive program."""

    def __init__(self, program: Program, recipe: Recipe) -> None:
        self.program, self.recipe = program, recipe
        self.overtime = program.limits.startup + OVERTIME_S
        self._child: Child | None = None
        self._told: tuple[str, ...] = ()  # the moves that the program knows

    def choose(self, game: Game, state: State, budget: Budget) -> Thought:
        """Tell the program the opponent's moves and wait for its own. Raises Failure if there is none."""
        began = time.monotonic()
        try:
            child, seconds = self._start(game, budget)
            for move in budget.history[len(self._told) :]:
                self._tell(child, move, budget)
            move_made = self._listen(child, game, state, seconds)
        except Failure as failure:
            self._fail(failure, game, state, budget, time.monotonic() - began)
            raise
        text = game.format(state, move_made)
        self._told = (*budget.history, text)
        return Thought(text, Note(wall=time.monotonic() - began))

    def _start(self, game: Game, budget: Budget) -> tuple[Child, float]:
        """Return the running program, and the seconds for its move. Answer its first questions if it is new."""
        if self._child is not None:
            return self._child, budget.remaining()
        usual = {name: value for name, value in game.spec.options.items() if name != "start"}
        if game.start() != create(game.name, usual).start() or len(budget.history) > 1:
            raise Failure("start", "a program with a recipe can only play a game from its usual start")
        program = self.program
        self._child = child = Child(program.argv, program.folder, program.limits, program.jail, terminal=True)
        startup = program.limits.startup if budget.left is None else 0.0
        for question in self.recipe.start:
            self._expect(child, question.expect, startup + budget.remaining())
            self._send(child, self._placeholders(budget).fill(question.send))
        return child, startup + budget.remaining()

    def _placeholders(self, budget: Budget) -> Placeholders:
        return Placeholders(budget.side, self.program.depth)

    def _tell(self, child: Child, move: str, budget: Budget) -> None:
        self._expect(child, self.recipe.asks.expect, self.overtime + budget.remaining())
        self._send(child, self._placeholders(budget).fill(self.recipe.asks.send, move))

    def _expect(self, child: Child, pattern: str, seconds: float) -> None:
        found = re.compile(pattern)
        child.read_until(
            lambda text: found.search(clean_output(self.recipe, text)),
            seconds,
            f"it did not ask for {pattern!r}",
        )

    def _send(self, child: Child, text: str) -> None:
        child.type(text.encode())

    def _listen(self, child: Child, game: Game, state: State, seconds: float) -> Move:
        found: list[Move] = []

        def look(text: str) -> bool:
            move = find_move(self.recipe, game, state, complete_lines(clean_output(self.recipe, text)))
            found.extend([] if move is None else [move])
            return bool(found)

        child.read_until(look, seconds, "it showed no legal move", consume=False)
        return found[0]

    def _fail(self, failure: Failure, game: Game, state: State, budget: Budget, wall: float) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.stop()
        if budget.cancelled.is_set():
            raise Failure("stopped", "the answer is no longer needed") from None
        self.program.report(
            failure, game, state, budget,
            wall=wall, transcript=Transcript() if child is None else child.transcript(),
            command=self.program.argv, cwd=self.program.folder.absolute(),
        )  # fmt: skip

    def stop(self) -> None:
        """Kill the program. `choose`, in another thread, then fails."""
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """End the program."""
        child, self._child = self._child, None
        if child is not None:
            child.stop()


def complete_lines(text: str) -> str:
    """Return a text without its last line, which may still grow."""
    return text[: text.rfind("\n") + 1]
