"""The rows of a data set: one for each move of a game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from engine.game import Game, State
from engine.puzzles.self_play import self_play
from engine.record import Record, replay
from engine.replay import ending
from engine.review import Evaluator

Row = dict[str, Any]
Notice = Callable[[str], None]
TABLE_MB = 32
COLUMNS: dict[str, Any] = {  # in the order of a row
    "game": str,  # its name
    "options": str,  # JSON
    "source": str,  # where the game comes from: a file, a room, or the number of a game that was played for the set
    "ply": int,  # plies played before this position
    "position": str,
    "side": int,  # to move: 0 or 1
    "legal": list[str],  # the legal moves
    "actions": list[int],  # their numbers
    "move": str,  # the move played
    "action": int,  # its number, as in parlour.gym
    "result": str,  # 1-0, 0-1, 1/2-1/2, or * without one
    "reward": int,  # for the side to move: 1, 0 or -1; null without a result
    "value": float,  # exact, for the side to move, in points or 1, 0, -1; null if it is not proved
    "estimate": float,  # of the search, where the value is not proved
    "depth": int,  # of the search
    "best": str,  # the best move that the search found
}


class Played(NamedTuple):
    """A game: where it comes from, its states, its result."""

    source: str
    game: Game
    states: Sequence[State]
    result: str


def recorded(record: Record, source: str) -> Played:
    """Return the game of a record. Raises InvalidRecord."""
    game, states = replay(record)
    return Played(source, game, states, record.result)


def self_played(game: Game, seed: int, skip: int = 0, compiled: bool | None = None) -> Iterator[Played]:
    """Yield games of the search against itself, with random moves in between. Each has a seed of its own."""
    number = skip
    while True:
        number += 1
        states = self_play(game, Random(f"{seed} {number}"), compiled)
        outcome = ending(game, states)
        yield Played(f"self-play {seed} {number}", game, states, "*" if outcome is None else outcome.result)


class RowMaker:
    """Makes the rows of games. With `nodes` of 0 they have no values."""

    def __init__(self, nodes: int, compiled: bool | None, notice: Notice) -> None:
        self._nodes, self._compiled, self._notice = nodes, compiled, notice
        self._evaluator: Evaluator | None = None

    def rows(self, played: Played) -> list[Row]:
        game, states = played.game, played.states
        options = json.dumps({name: value for name, value in game.spec.options.items() if name != "start"})
        rewards = {"1-0": (1, -1), "0-1": (-1, 1), "1/2-1/2": (0, 0)}.get(played.result, (None, None))
        rows = []
        for ply, (state, after) in enumerate(pairwise(states)):
            moves = game.moves(state)
            move = next(move for move in moves if game.after(state, move) == after)
            row = {
                "game": game.name,
                "options": options,
                "source": played.source,
                "ply": ply,
                "position": game.dump(state),
                "side": game.turn(state),
                "legal": [game.format(state, move) for move in moves],
                "actions": list(moves),
                "move": game.format(state, move),
                "action": move,
                "result": played.result,
                "reward": rewards[game.turn(state)],
            }
            rows.append(row | self._values(game, states[: ply + 1]))
        return rows

    def _values(self, game: Game, states: Sequence[State]) -> Row:
        """Return the value of a position: exact and estimated ones in columns of their own."""
        if not self._nodes:
            return dict.fromkeys(("value", "estimate", "depth", "best"))
        known = self._evaluator
        if known is None or (known.game.name, known.game.constants) != (game.name, game.constants):
            self._evaluator = known = Evaluator(
                game, self._nodes, table_mb=TABLE_MB, compiled=self._compiled, notice=self._notice
            )
        found = known.value(states)
        return {
            "value": float(found.points) if found.proved else None,
            "estimate": None if found.proved else round(float(found.points), 4),
            "depth": found.depth,
            "best": game.format(states[-1], found.line[0]) if found.line else None,
        }
