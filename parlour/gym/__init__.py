"""Parlour's games for learners: PettingZoo and Gymnasium environments, and trained policies as bots on a server.

from parlour import gym
env = gym.env("mancala")                                  # PettingZoo, both sides
one = gym.OpponentEnv("mancala", opponent="search@2")     # Gymnasium, against an opponent
gym.play_on_server(policy, "mancala", url="…")            # a policy as a bot

It needs the extra `rl`: pip install 'parlour[rl]'. docs/learning.md describes it.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium
    import numpy as _numpy  # noqa: F401
    import pettingzoo as _pettingzoo  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"parlour.gym needs {error.name}: install it with: pip install 'parlour[rl]'", name=error.name
    ) from None

from engine.registry import GAMES as _GAMES
from parlour.gym.encoding import Encoder, Policy
from parlour.gym.gymnasium_env import OpponentEnv
from parlour.gym.pettingzoo_env import RawEnv, env
from parlour.gym.server import play_on_server

__all__ = ["Encoder", "OpponentEnv", "Policy", "RawEnv", "env", "play_on_server"]

for _game in _GAMES.names():  # gymnasium.make("Parlour/mancala-v0")
    _gymnasium.register(f"Parlour/{_game}-v0", "parlour.gym:OpponentEnv", kwargs={"game": _game})
