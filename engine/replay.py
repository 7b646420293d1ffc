"""Moves played through one after another, and the endings that need a memory: repetition and the limit of plies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import GameError
from engine.game import Game, Outcome, State
from engine.record_move import UNKNOWN


def ending(game: Game, states: Sequence[State]) -> Outcome | None:
    """How a game that went through these states has ended, if it has: by its rules, by repetition, by its ply limit."""
    return judge(game, states[-1], len(states) - 1, states.count(states[-1]))


def judge(game: Game, state: State, plies: int, occurrences: int) -> Outcome | None:
    """The same, told how many plies were played and how often this state has occurred, this time included."""
    outcome, spec = game.outcome(state), game.spec
    if outcome is not None:
        return outcome
    if spec.repetition is not None and occurrences >= spec.repetition:
        return Outcome(None, "repetition")
    if spec.max_plies is not None and plies >= spec.max_plies:
        return Outcome(None, "ply_limit")
    return None


@dataclass(frozen=True, slots=True)
class Replay:
    """The states from the start on, as far as the moves can be played, and how that ended."""

    game: Game
    states: tuple[State, ...]
    ended: Outcome | None
    wrong: str = ""  # what is wrong with the first move that cannot be played, with its ply

    @classmethod
    def of(cls, game: Game, moves: Iterable[str]) -> Replay:
        states = [game.start()]
        seen = Counter(states)
        ended = judge(game, states[0], 0, 1)
        for ply, move in enumerate(moves, 1):
            if ended is not None:
                why = f"ply {ply}: the game was over already ({ended.result} {ended.reason})"
                return cls(game, tuple(states), ended, why)
            try:
                state = game.after(states[-1], game.parse(states[-1], move, running=True))
            except GameError as error:
                return cls(game, tuple(states), None, f"ply {ply}: {error}")
            states.append(state)
            seen[state] += 1
            ended = judge(game, state, ply, seen[state])
        return cls(game, tuple(states), ended)

    def side(self, ply: int) -> str:
        """The word for the side that plays a ply."""
        if not 0 < ply <= len(self.states):
            return UNKNOWN
        return self.game.sides[self.game.turn(self.states[ply - 1])].replace(" ", "")
