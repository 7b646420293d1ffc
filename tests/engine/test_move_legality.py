"""A game that judges a single move without making them all says the same as its list of moves."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from engine.errors import IllegalMove
from engine.game import Game, State
from engine.registry import GAMES, create


def some_game(game: Game, seed: int) -> Iterator[State]:
    """The states of a random game, of which the last one is over, or the hundredth."""
    chance, state = random.Random(seed), game.start()
    for _ in range(100):
        yield state
        moves = game.moves(state)
        if not moves:
            break
        state = game.after(state, chance.choice(moves))


@pytest.mark.parametrize("name", GAMES)
def test_a_move_is_allowed_if_and_only_if_it_is_among_the_moves(name: str) -> None:
    game = create(name)
    for seed in range(20):
        for state in some_game(game, seed):
            if moves := game.moves(state):
                assert [move for move in range(game.rules.MAX_MOVES) if game.allowed(state, move)] == list(moves)


@pytest.mark.parametrize("name", GAMES)
def test_what_may_be_played_is_parsed_and_nothing_once_the_game_is_over(name: str) -> None:
    game = create(name)
    texts: set[str] = set()
    for seed in range(5):
        for state in some_game(game, seed):
            legal = game.legal(state)
            texts.update(legal)
            assert {text for text in texts if not refused(game, state, text)} == set(legal)


def refused(game: Game, state: State, text: str) -> bool:
    try:
        game.parse(state, text)
    except IllegalMove:
        return True
    return False
