"""The result of a review: what is known about each move, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.review.judgement import BLUNDER_COST, MISTAKES, Judgement, accuracy

MAX_TURNING_POINTS = 5
ESTIMATE_DIGITS = 3


@dataclass(frozen=True, slots=True)
class MoveReview:
    """A move and its judgement. Values are for the side that moves."""

    ply: int
    side: int
    move: str
    best: str  # the move itself if no move is better
    line: tuple[str, ...]  # the best line, from `best` on
    value: float  # before the move, with best play
    value_proved: bool
    played: float  # after the move
    played_proved: bool
    depth: int  # of the search for `value`; of no meaning if that is proved
    loss: float
    cost: float  # winning chances lost, from 0 to 1
    chance: float  # of winning, after the move, from 0 to 1
    judgement: Judgement
    words: str  # what the move keeps or loses
    forced: bool  # there was no other move
    also: tuple[str, ...] = ()  # of a mistake: other moves that are proved to be as good as `best`

    @property
    def proved(self) -> bool:
        """Whether value and loss are exact."""
        return self.value_proved and self.played_proved

    @property
    def is_mistake(self) -> bool:
        return self.judgement in MISTAKES

    def to_json(self) -> dict[str, Any]:
        return {
            "ply": self.ply,
            "side": self.side,
            "move": self.move,
            "best": self.best,
            "value": number(self.value),
            "loss": number(self.loss),
            "proved": self.proved,
            "judgement": self.judgement,
            "words": self.words,
            "line": list(self.line),
            "also": list(self.also),
            "value_proved": self.value_proved,
            "played": number(self.played),
            "played_proved": self.played_proved,
            "chance": number(self.chance),
            "depth": None if self.value_proved else self.depth,
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game."""

    moves: tuple[MoveReview, ...]

    def accuracy(self, side: int) -> float | None:
        """Return the mean accuracy of a side's moves in percent, or None if it made none. Forced moves do not count."""
        moves = [move for move in self.moves if move.side == side]
        choices = [accuracy(move.cost) for move in moves if not move.forced]
        if not choices:
            return 100.0 if moves else None
        return round(sum(choices) / len(choices), 1)

    @property
    def turning_points(self) -> tuple[MoveReview, ...]:
        """The moves that changed the winning chances most, in the order of the game."""
        large = [move for move in self.moves if move.cost >= BLUNDER_COST]
        largest = sorted(large, key=lambda move: -move.cost)[:MAX_TURNING_POINTS]
        return tuple(sorted(largest, key=lambda move: move.ply))

    def to_json(self) -> dict[str, Any]:
        return {
            "accuracy": [self.accuracy(0), self.accuracy(1)],
            "turning_points": [move.ply for move in self.turning_points],
            "moves": [move.to_json() for move in self.moves],
        }


def number(value: float) -> float:
    """Return a whole number as int, so that 3 is not written as 3.0."""
    return int(value) if value == int(value) else round(value, ESTIMATE_DIGITS)
