"""Opponents: the players of the courses, the levels of the search, and policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from client.bots.builtin.levels import LEVELS, MAX_PLAIN_NODES
from engine.course.players import make_player
from engine.game import Game, Move, State
from engine.search import Limits, Thinker
from parlour.gym.encoding import Encoder, Policy

TABLE_MB = 8
Choose = Callable[[State, Sequence[State]], Move]  # (state, earlier states) -> move
LEVEL_NAMES = {f"search@{level}": level for level, found in LEVELS.items() if found.nodes is not None}


def make_opponent(opponent: str | Policy, game: Game, encoder: Encoder, rng: Random) -> Choose:
    """Return a function that chooses moves. Raises InvalidOption if there is no opponent of this name."""
    if not isinstance(opponent, str):
        return lambda state, past: policy_move(opponent, encoder, state)
    if opponent in LEVEL_NAMES:
        return search_opponent(LEVEL_NAMES[opponent], game, rng)
    if opponent.startswith("search"):
        raise ValueError(f"{opponent!r} is not an opponent: use {min(LEVEL_NAMES)} to {max(LEVEL_NAMES)}")
    player = make_player(opponent, game, rng)
    return lambda state, past: player(state)


def policy_move(policy: Policy, encoder: Encoder, state: State) -> Move:
    """Return the move of a policy. Raises IllegalMove."""
    move = int(policy(encoder.observation(state, state.turn), encoder.mask(state, state.turn)))
    if move not in encoder.game.moves(state):
        raise encoder.game.illegal(state, move)
    return move


def search_opponent(level: int, game: Game, rng: Random) -> Choose:
    """Return the search at a level that searches a fixed number of nodes."""
    random_share, nodes = LEVELS[level]
    assert nodes is not None
    thinker = Thinker(game, TABLE_MB, compiled=False if nodes <= MAX_PLAIN_NODES else None)

    def choose(state: State, past: Sequence[State]) -> Move:
        moves = game.moves(state)
        if len(moves) == 1 or rng.random() < random_share:
            return rng.choice(moves)
        found = thinker.think(state, Limits(nodes=nodes), past=past if game.spec.repetition is not None else ()).move
        return moves[0] if found is None else found

    return choose
