"""Replay of a list of moves, with the endings that depend on earlier moves: repetition and the ply limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

from engine.errors import GameError
from engine.game import Game, Outcome, State
from engine.record_move import UNKNOWN_SIDE


def ending(game: Game, states: Sequence[State]) -> Outcome | None:
    """Return how a game with these states has ended (rules, repetition or ply limit), or None if it has not."""
    return game.judge(states[-1], len(states) - 1, states.count(states[-1]))


def side_to_move(game: Game, state: State) -> str:
    """Return the name of the side to move, without spaces."""
    return game.sides[game.turn(state)].replace(" ", "")


@dataclass(frozen=True, slots=True)
class Replay:
    """The states of a game, up to the first move that cannot be played, and its outcome."""

    game: Game
    states: tuple[State, ...]
    ended: Outcome | None
    error: str = ""  # why the first illegal move cannot be played, with its ply

    @classmethod
    def of(cls, game: Game, moves: Iterable[str]) -> Replay:
        steps = cls.steps(game, moves)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                replayed: Replay = end.value
                return replayed

    @classmethod
    def steps(cls, game: Game, moves: Iterable[str]) -> Generator[State, None, Replay]:
        """Yield each state when it is computed, the start first. Return the replay."""
        states = [game.start()]
        yield states[0]
        seen = Counter(states)
        ended = game.judge(states[0], 0, 1)
        for ply, move in enumerate(moves, 1):
            if ended is not None:
                why = f"ply {ply}: the game was already over ({ended.result} {ended.reason})"
                return cls(game, tuple(states), ended, why)
            try:
                _, state, over = game.advance(states[-1], move)
            except GameError as error:
                return cls(game, tuple(states), None, f"ply {ply}: {error}")
            states.append(state)
            seen[state] += 1
            ended = game.judge(state, ply, seen[state], over)
            yield state
        return cls(game, tuple(states), ended)

    def side(self, ply: int) -> str:
        """Return the name of the side that plays a ply, without spaces."""
        if not 0 < ply <= len(self.states):
            return UNKNOWN_SIDE
        return side_to_move(self.game, self.states[ply - 1])
