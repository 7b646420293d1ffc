"""Players from the course assignments: random, greedy, minimax:DEPTH[:EVALUATION], alphabeta:DEPTH[:EVALUATION]."""

from __future__ import annotations

from client.bots.builtin.rng import PositionRng
from client.sdk.bot import Bot, Budget
from engine.course.players import ChooseMove, make_player
from engine.game import Game, Move, State


class CourseBot(Bot):
    """A course player, created for the game it first plays."""

    def __init__(self, text: str, rng: PositionRng) -> None:
        self._text, self._rng = text, rng
        self._player: tuple[Game, ChooseMove] | None = None

    def choose(self, game: Game, state: State, budget: Budget) -> Move:
        if self._player is None or self._player[0] is not game:
            self._player = game, make_player(self._text, game, self._rng.random)
        self._rng.reseed(game, state, budget.ply)
        return self._player[1](state)
