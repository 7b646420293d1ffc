"""The review of a game as a tournament keeps it: the accuracy of both sides, and the values of every mistake. Pure.

Judgements and words follow from the values. So a file of reviews has no text except moves, and those are checked
against the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from client.tournament.model.chosen_opening import is_number
from engine.review import Budget, MoveReview, Review
from engine.review.judgement import accuracy
from engine.review.reviewer import MAX_LINE_MOVES

DEFAULT_BUDGET = Budget(nodes=100_000, seconds=20.0)
ACCURACY_DIGITS = 3
MAX_MOVES = 100_000  # of a game
MAX_MOVE_CHARS = 200
MAX_VALUE = 1e6
MAX_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class Mistake:
    """A move that lost at least 5 % of the winning chances. Values are for the side that moved, in points of the game.

    `line`: the best line. `value`: before the move, with best play; `played`: after the move. `depth`: of the search
    for `value`; 0 if that is proved.
    """

    ply: int
    line: tuple[str, ...]
    value: float
    value_proved: bool
    played: float
    played_proved: bool
    depth: int

    @classmethod
    def of(cls, move: MoveReview) -> Mistake:
        depth = 0 if move.value_proved else move.depth
        return cls(move.ply, move.line, move.value, move.value_proved, move.played, move.played_proved, depth)

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Mistake:
        """Return a mistake from JSON. Raises KeyError, TypeError or ValueError if it is not valid."""
        found = cls(**{**{name: given[name] for name in cls.__slots__}, "line": tuple(given["line"])})
        valid = (
            is_count(found.ply, MAX_MOVES)
            and found.ply > 0
            and is_count(found.depth, MAX_DEPTH)
            and all(is_number(value) and abs(value) <= MAX_VALUE for value in (found.value, found.played))
            and type(found.value_proved) is type(found.played_proved) is bool
            and 0 < len(found.line) <= MAX_LINE_MOVES
            and all(isinstance(move, str) and len(move) <= MAX_MOVE_CHARS for move in found.line)
        )
        if not valid:
            raise ValueError("a mistake has a field with a wrong value")
        return found


@dataclass(frozen=True, slots=True)
class GameReview:
    """The review of a game.

    `record`: the SHA-256 of the record. `nodes`, `seconds`: the budget. `choices`: the moves of each side that had an
    alternative. `accuracy`: the means over these moves in percent; 0 for a side without any.
    """

    record: str
    nodes: int
    seconds: float
    choices: tuple[int, int]
    accuracy: tuple[float, float]
    mistakes: tuple[Mistake, ...]

    @classmethod
    def of(cls, record: str, budget: Budget, review: Review) -> GameReview:
        """Return the review of the game with this record, which was made within this budget."""
        choices = [
            [accuracy(one.cost) for one in review.moves if one.side == side and not one.forced] for side in (0, 1)
        ]
        first, second = (round(sum(each) / len(each), ACCURACY_DIGITS) if each else 0.0 for each in choices)
        return cls(
            record=digest(record),
            nodes=budget.nodes,
            seconds=budget.seconds or 0.0,
            choices=(len(choices[0]), len(choices[1])),
            accuracy=(first, second),
            mistakes=tuple(Mistake.of(move) for move in review.moves if move.is_mistake),
        )

    @property
    def budget(self) -> Budget:
        return Budget(self.nodes, self.seconds)

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> GameReview:
        """Return a review from JSON. Raises KeyError, TypeError or ValueError if it is not valid."""
        choices, percents = (tuple(given[name]) for name in ("choices", "accuracy"))
        found = cls(
            record=given["record"],
            nodes=given["nodes"],
            seconds=given["seconds"],
            choices=choices,
            accuracy=percents,
            mistakes=tuple(map(Mistake.read, given["mistakes"])),
        )
        valid = (
            isinstance(found.record, str)
            and is_count(found.nodes, 10**18)
            and is_number(found.seconds)
            and 0 <= found.seconds <= 1e9
            and len(choices) == len(percents) == 2
            and all(is_count(count, MAX_MOVES) for count in choices)
            and all(is_number(percent) and 0 <= percent <= 100 for percent in percents)
        )
        if not valid:
            raise ValueError("a field has a wrong value")
        return found


Reviews = Mapping[int, GameReview]  # by game number
NO_REVIEWS: Reviews = MappingProxyType({})


def is_count(value: object, limit: int) -> bool:
    return type(value) is int and 0 <= value <= limit


def digest(record: str) -> str:
    """Return the SHA-256 of a record."""
    return sha256(record.encode("utf-8", "replace")).hexdigest()
