"""What came of a game, and what it is worth. Pure values, written into the log as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5), "*": (0.0, 0.0)}
FORFEITS = ("time", "illegal_moves", "abandoned", "crashed", "absent")


class Pairing(NamedTuple):
    """A game to be played. Two games of a pair have the same opening and the seats swapped."""

    number: int
    round: int
    pair: int
    seats: tuple[str, str]
    opening: int


class Used(NamedTuple):
    """The time of one side: moves, and milliseconds in all and for the longest of them."""

    moves: int = 0
    total: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """`forfeit`: why the loser has lost without being beaten; `evidence`: the folder that tells of it.

    `proof`: for a game that was stopped since its result was proved. The record has the rest.
    """

    result: str
    reason: str
    room: str = ""
    forfeit: str = ""
    evidence: str = ""
    proof: Mapping[str, Any] | None = None
    used: tuple[Used, Used] = (Used(), Used())
    record: str = ""

    @property
    def points(self) -> tuple[float, float]:
        return POINTS[self.result]

    @property
    def loser(self) -> int | None:
        return {"1-0": 1, "0-1": 0}.get(self.result)

    @property
    def forfeited(self) -> tuple[bool, bool]:
        """Who has lost without being beaten; both, if neither came."""
        return (bool(self.forfeit) and self.result != "1-0", bool(self.forfeit) and self.result != "0-1")

    def dump(self) -> dict[str, Any]:
        return asdict(self) | {"used": [list(side) for side in self.used]}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Result:
        """KeyError, TypeError or ValueError if it is none."""
        first, second = (Used(*map(int, side)) for side in given["used"])
        if given["result"] not in POINTS:
            raise ValueError(f"{given['result']!r} is no result")
        return cls(
            result=given["result"],
            reason=str(given["reason"]),
            room=str(given["room"]),
            forfeit=str(given["forfeit"]),
            evidence=str(given["evidence"]),
            proof=given["proof"],
            used=(first, second),
            record=str(given["record"]),
        )


Results = Mapping[int, Result]  # by the number of the game
