from __future__ import annotations

from client.bots.spec import BotSpec
from client.sdk.bot import as_thought
from engine.registry import create
from tests.client.sample_programs import budget


def moves(seed: int, restart: bool = False) -> list[object]:
    """Return 20 moves of the random bot. `restart`: use a new bot for each move."""
    game, spec = create("maxconnect4"), BotSpec("random", seed=seed)
    bot, state = spec.constructor()(), game.start()
    chosen: list[object] = []
    while len(chosen) < 20:
        chosen.append(as_thought(game, state, bot.choose(game, state, budget())).move)
        state = game.play(state, game.parse(state, str(chosen[-1])))
        if restart:
            bot = spec.constructor()()
    return chosen


def test_seeded_moves_are_repeatable_even_after_a_restart() -> None:
    assert moves(1) == moves(1) != moves(2)
    assert moves(1) == moves(1, restart=True)
