"""Source code of a bot, for tests that load one from a file."""

from __future__ import annotations

BOT_SOURCE = """
from parlour import Bot

class Mine(Bot):
    name = "mine"
    games = ("conga",)

    def choose(self, game, state, budget):
        return game.moves(state)[-1]
"""
