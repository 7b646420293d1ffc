"""Trained policies as bots on a server."""

from __future__ import annotations

from collections.abc import Mapping

from client.bots.main import run
from client.sdk.bot import Bot, Budget
from engine.game import Game, Move, State
from engine.registry import create
from parlour.gym.encoding import Encoder, Form, Policy
from parlour.gym.opponents import policy_move


def play_on_server(
    policy: Policy,
    game: str,
    url: str = "",
    *,
    name: str = "policy",
    token: str = "",
    seek: bool = False,
    clock: str = "none",
    games: int | None = None,
    observation: Form = "planes",
    options: Mapping[str, object] | None = None,
) -> None:
    """Connect a policy as a bot, and play until interrupted, or until `games` games are played.

    `policy`: a function (observation, action mask) -> action, with the observation of the side to move. `seek`: seek
    opponents, with the time control `clock`; otherwise the bot waits for invitations. It plays only with `options`.
    Errors are printed and end the program, as with `parlour.run`.
    """
    wanted = dict(create(game, dict(options or {})).spec.options)

    class PolicyBot(Bot):
        def choose(self, game: Game, state: State, budget: Budget) -> Move:
            return policy_move(policy, Encoder(game, observation), state)

    PolicyBot.name, PolicyBot.games = name, (game,)
    sought = game if seek else ""
    run(PolicyBot, url=url, name=name, token=token, seek=sought, clock=clock, games=games, options=wanted)
