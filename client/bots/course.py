"""The players of the courses: random, greedy, minimax:DEPTH[:EVALUATION], alphabeta:DEPTH[:EVALUATION]."""

from __future__ import annotations

from random import Random

from client.bot import Bot, Budget
from engine.course.brains import Brain, brain
from engine.game import Game, Move, State


class CourseBot(Bot):
    def __init__(self, text: str, rng: Random) -> None:
        self._text, self._rng = text, rng
        self._brain: tuple[Game, Brain] | None = None

    def choose(self, game: Game, state: State, budget: Budget) -> Move:
        if self._brain is None or self._brain[0] is not game:
            self._brain = game, brain(self._text, game, self._rng)
        return self._brain[1](state)
