"""A balanced opening: a position, and the value for which it was chosen. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from engine.game import Game
from engine.review.judgement import counts_points

BAND_SHARE = 0.5  # of Game.chance_scale: an estimate of this size wins 62 % of the games


@dataclass(frozen=True, slots=True)
class ChosenOpening:
    """An opening that was chosen by its value.

    `value`: for the first player, in points of the game (1, 0, -1 if it has none). `proved`: the value is exact;
    otherwise it is the estimate of a search to `depth`. `band`: the greatest value that was accepted, None if any was.
    `search`: the version of the search.
    """

    position: str
    value: float
    depth: int
    proved: bool
    band: float | None
    search: str

    def dump(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> ChosenOpening:
        """Return the opening of a log entry. Raises KeyError or ValueError if it is not valid."""
        found = cls(**{name: given[name] for name in cls.__slots__})
        band = 0.0 if found.band is None else found.band
        valid = (
            isinstance(found.position, str)
            and is_number(found.value)
            and type(found.depth) is int
            and type(found.proved) is bool
            and is_number(band)
            and isinstance(found.search, str)
        )
        if not valid:
            raise ValueError("an opening has a field of the wrong type")
        return found


def is_number(value: object) -> bool:
    return type(value) in (int, float) and isfinite(value)  # type: ignore[arg-type]


def first_band(game: Game) -> float:
    """Return the greatest value that is even, in points of the game."""
    return game.chance_scale * BAND_SHARE


def imbalance(game: Game, value: float, proved: bool) -> float | None:
    """Return how far a value is from even; None if the game is decided: a proved win in a game without points."""
    if proved and value and not counts_points(game):
        return None
    return abs(value)


def fits(game: Game, opening: ChosenOpening, same_version: bool = True) -> bool:
    """Return whether the value of an opening lies in its band, and the band follows from the game.

    The band depends on a scale that was fitted to the search. So only a band of the same version can be checked.
    """
    if opening.band is None:
        return True
    off = imbalance(game, opening.value, opening.proved)
    band = first_band(game)
    while band < opening.band:
        band *= 2
    return (band == opening.band or not same_version) and off is not None and off <= opening.band


def value_text(opening: ChosenOpening) -> str:
    """Return the value of an opening in words: `0, proved` or `+0.5, estimated at depth 12`."""
    value = f"{round(opening.value, 3):+g}" if opening.value else "0"
    return f"{value}, proved" if opening.proved else f"{value}, estimated at depth {opening.depth}"
