"""Gymnasium's view of a game: one side, against an opponent."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import gymnasium

from engine.game import Game, Side
from engine.registry import create
from parlour.gym.encoding import Array, Encoder, Form, Policy
from parlour.gym.match import RENDER_MODES, new_match
from parlour.gym.opponents import make_opponent
from runtime.printable import print_lines

ILLEGAL_REWARD = -1.0


class OpponentEnv(gymnasium.Env[Array, Any]):
    """A game against an opponent.

    `game`: its name, or a game of `parlour.create`. `opponent`: random, greedy, minimax:DEPTH, alphabeta:DEPTH, or
    search@1 to search@9; or a policy, a function (observation, action mask) -> action. `side`: 0 moves first; None
    draws a side for each game. `info["action_mask"]` and `action_masks()` have the legal actions. The reward is
    1, 0 or -1 at the end of the game. An illegal move ends it with a reward of -1.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(
        self,
        game: str | Game,
        opponent: str | Policy = "random",
        side: Side | None = None,
        options: Mapping[str, object] | None = None,
        observation: Form = "planes",
        render_mode: str | None = None,
    ) -> None:
        self.game = create(game, dict(options or {})) if isinstance(game, str) else game
        self.encoder = Encoder(self.game, observation)
        self.observation_space, self.action_space = self.encoder.observation_space, self.encoder.action_space
        self.render_mode = render_mode
        self.side: Side = side or 0
        self._side, self._rng = side, Random()
        self._choose = make_opponent(opponent, self.game, self.encoder, self._rng)
        self._match = new_match(self.game, None)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin a game, from the option `start` if given. The seed decides the side and the opponent's choices."""
        super().reset(seed=seed)
        self._rng.seed(int(self.np_random.integers(2**62)))
        self.side = self._rng.randrange(2) if self._side is None else self._side
        self._match = new_match(self.game, options)
        self._play_opponent()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play a move, and the answers of the opponent."""
        match = self._match
        if match.outcome is not None:
            raise gymnasium.error.ResetNeeded("the game is over: call reset()")
        if int(action) not in match.game.moves(match.state):
            return self._observation(), ILLEGAL_REWARD, True, False, {**self._info(), "illegal": True}
        match.play(int(action))
        self._play_opponent()
        return self._observation(), match.reward(self.side), match.outcome is not None, False, self._info()

    def action_masks(self) -> Array:
        """Return 1 for each legal action: the name that learners with masks, such as sb3-contrib, ask for."""
        over = self._match.outcome is not None
        return self.encoder.mask(self._match.state, 1 - self._match.state.turn if over else self.side)

    def render(self) -> str | None:
        """Return the board as text ("ansi") or print it ("human")."""
        if self.render_mode == "human":
            print_lines(self._match.text())
        return self._match.text() if self.render_mode == "ansi" else None

    def _play_opponent(self) -> None:
        """Play the moves of the opponent until the side is to move, or the game is over."""
        match = self._match
        while match.outcome is None and match.game.turn(match.state) != self.side:
            match.play(self._choose(match.state, match.past))

    def _observation(self) -> Array:
        return self.encoder.observation(self._match.state, self.side)

    def _info(self) -> dict[str, Any]:
        outcome = self._match.outcome
        return {
            "action_mask": self.action_masks(),
            "side": self.side,
            "ply": len(self._match.past),
            "result": "" if outcome is None else outcome.result,
        }
