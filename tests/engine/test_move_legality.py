"""`allowed` and `parse` agree with the list of legal moves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from engine.errors import IllegalMove
from engine.game import Game, State
from engine.registry import GAMES, create


def random_game(game: Game, seed: int) -> Iterator[State]:
    """Yield the states of a random game, at most 100."""
    rng, state = random.Random(seed), game.start()
    for _ in range(100):
        yield state
        moves = game.moves(state)
        if not moves:
            break
        state = game.after(state, rng.choice(moves))


@pytest.mark.parametrize("name", GAMES)
def test_allowed_agrees_with_moves(name: str) -> None:
    game = create(name)
    for seed in range(20):
        for state in random_game(game, seed):
            if moves := game.moves(state):
                assert [move for move in range(game.rules.MAX_MOVES) if game.allowed(state, move)] == list(moves)


@pytest.mark.parametrize("name", GAMES)
def test_parse_accepts_exactly_the_legal_moves(name: str) -> None:
    game = create(name)
    texts: set[str] = set()
    for seed in range(5):
        for state in random_game(game, seed):
            legal = game.legal(state)
            texts.update(legal)
            assert {text for text in texts if not is_illegal(game, state, text)} == set(legal)


def is_illegal(game: Game, state: State, text: str) -> bool:
    try:
        game.parse(state, text)
    except IllegalMove:
        return True
    return False
