"""PettingZoo's view of a game: an AEC environment with the agents player_0 and player_1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from engine.game import Game
from engine.registry import create
from parlour.gym.encoding import Encoder, Form
from parlour.gym.match import RENDER_MODES, Match, new_match
from runtime.printable import print_lines

ILLEGAL_REWARD = -1
AGENTS = ("player_0", "player_1")  # player_0 moves first


def env(
    game: str | Game,
    options: Mapping[str, object] | None = None,
    observation: Form = "planes",
    render_mode: str | None = None,
) -> Any:
    """Return the PettingZoo environment of a game.

    `game`: its name, or a game of `parlour.create`. `options`: of the game. An illegal move ends the game with a reward
    of -1 for its player and 0 for the other one; an action outside of the action space is an AssertionError.
    """
    wrapped = wrappers.TerminateIllegalWrapper(RawEnv(game, options, observation, render_mode), ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class RawEnv(AECEnv):
    """The environment without PettingZoo's wrappers: an illegal move raises IllegalMove.

    An agent that moves again, as in Mancala, is selected again. The game ends for both agents at once: 1 for the
    winner, -1 for the loser, 0 for a draw. Draws by repetition and by the ply limit are results of the game too, so no
    game is truncated.
    """

    def __init__(
        self,
        game: str | Game,
        options: Mapping[str, object] | None = None,
        observation: Form = "planes",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = create(game, dict(options or {})) if isinstance(game, str) else game
        self.encoder = Encoder(self.game, observation)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"parlour_{self.game.name}_v0",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
        }
        self.possible_agents = list(AGENTS)
        self._observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self._action_spaces = {agent: spaces.Discrete(self.encoder.actions) for agent in AGENTS}

    def _observation_space(self) -> Any:
        space = Encoder(self.game, self.encoder.form).observation_space
        mask = spaces.Box(0, 1, (self.encoder.actions,), np.int8)
        return spaces.Dict({"observation": space, "action_mask": mask})

    def observation_space(self, agent: str) -> Any:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game, from the option `start` if given. The games have no chance, so the seed has no effect."""
        self._match = new_match(self.game, options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._select()

    @property
    def match(self) -> Match:
        """The game that is played."""
        return self._match

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        match = self._match
        assert action is not None
        if int(action) not in match.game.moves(match.state):
            raise match.game.illegal(match.state, int(action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        match.play(int(action))
        self.rewards = {agent: match.reward(side) for side, agent in enumerate(AGENTS)}
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select the agent to move, and terminate both if the game is over."""
        self.terminations = dict.fromkeys(AGENTS, self._match.outcome is not None)
        self.agent_selection = AGENTS[self._match.game.turn(self._match.state)]

    def observe(self, agent: str) -> dict[str, Any]:
        state, side = self._match.state, AGENTS.index(agent)
        return {"observation": self.encoder.observation(state, side), "action_mask": self._mask(side)}

    def _mask(self, side: int) -> Any:
        over = self._match.outcome is not None
        return self.encoder.mask(self._match.state, 1 - self._match.state.turn if over else side)

    def render(self) -> str | None:
        """Return the board as text ("ansi") or print it ("human")."""
        if self.render_mode == "human":
            print_lines(self._match.text())
        return self._match.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: the environment has no resources."""
