"""A game that judges a single move without making them all says the same as its list of moves."""

from __future__ import annotations

import random

import pytest

from engine.registry import GAMES, create


@pytest.mark.parametrize("name", GAMES)
def test_a_move_is_allowed_if_and_only_if_it_is_among_the_moves(name: str) -> None:
    game = create(name)
    for seed in range(20):
        chance, state = random.Random(seed), game.start()
        while moves := game.moves(state):
            assert [move for move in range(game.rules.MOST_MOVES) if game.allowed(state, move)] == list(moves)
            state = game.after(state, chance.choice(moves))
            if chance.random() < 0.01:
                break
        assert [move for move in range(game.rules.MOST_MOVES) if game.allowed(state, move)] == list(game.moves(state))
