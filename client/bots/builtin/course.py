"""The players of the courses: random, greedy, minimax:DEPTH[:EVALUATION], alphabeta:DEPTH[:EVALUATION]."""

from __future__ import annotations

from client.bots.builtin.rng import PositionRng
from client.sdk.bot import Bot, Budget
from engine.course.players import ChooseMove, make_player
from engine.game import Game, Move, State


class CourseBot(Bot):
    def __init__(self, text: str, chance: PositionRng) -> None:
        self._text, self._chance = text, chance
        self._brain: tuple[Game, ChooseMove] | None = None

    def choose(self, game: Game, state: State, budget: Budget) -> Move:
        if self._brain is None or self._brain[0] is not game:
            self._brain = game, make_player(self._text, game, self._chance.rng)
        self._chance.reseed(game, state, budget.ply)
        return self._brain[1](state)
