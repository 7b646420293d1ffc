"""Games and their results. Pure values, written to the log as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

MAX_PROOF_PLIES = 10_000
POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5), "*": (0.0, 0.0)}
FORFEITS = ("time", "illegal_moves", "abandoned", "crashed", "absent")
RARE_FORFEITS = ("garbage", "no_output")  # a table has columns for these only if they occur


class Pairing(NamedTuple):
    """A game of the schedule. The two games of a pair share an opening and swap the seats."""

    number: int
    round: int
    pair: int
    seats: tuple[str, str]
    opening: int


class ThinkingTime(NamedTuple):
    """The thinking time of one side: number of moves, and milliseconds in total and for the longest move."""

    moves: int = 0
    total: int = 0
    longest: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a game.

    `forfeit`: why the loser lost other than by play. `evidence`: the folder with the crash report. `proof`: how an
    adjudicated result was proved.
    """

    result: str
    reason: str
    room: str = ""
    forfeit: str = ""
    evidence: str = ""
    proof: Mapping[str, Any] | None = None
    used: tuple[ThinkingTime, ThinkingTime] = (ThinkingTime(), ThinkingTime())
    record: str = ""

    @property
    def points(self) -> tuple[float, float]:
        return POINTS[self.result]

    @property
    def loser(self) -> int | None:
        return {"1-0": 1, "0-1": 0}.get(self.result)

    @property
    def forfeited(self) -> tuple[bool, bool]:
        """The seats that lost by forfeit; both, if neither player joined."""
        return (bool(self.forfeit) and self.result != "1-0", bool(self.forfeit) and self.result != "0-1")

    def dump(self) -> dict[str, Any]:
        return asdict(self) | {"used": [list(side) for side in self.used]}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Result:
        """Return the result of a log entry. Raises KeyError, TypeError or ValueError if it is not valid."""
        first, second = (ThinkingTime(*map(int, side)) for side in given["used"])
        if given["result"] not in POINTS:
            raise ValueError(f"{given['result']!r} is not a result")
        proof = given["proof"]
        if proof is not None:
            check_proof(proof)
        return cls(
            result=given["result"],
            reason=str(given["reason"]),
            room=str(given["room"]),
            forfeit=str(given["forfeit"]),
            evidence=str(given["evidence"]),
            proof=proof,
            used=(first, second),
            record=str(given["record"]),
        )


Results = Mapping[int, Result]  # by game number


def check_proof(proof: Mapping[str, Any]) -> None:
    """Raise ValueError if a proof has a field that is neither a number, a text, nor the line of moves."""
    for name, value in proof.items():
        if name == "line":
            valid = len(value) <= MAX_PROOF_PLIES and all(isinstance(move, str) for move in value)
        else:
            valid = not isinstance(value, list | dict)
        if not valid:
            raise ValueError(f"the proof has a wrong {name[:20]!r}")
