"""The options of a game: what may be chosen, and turning what a user gave into values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InvalidOption, shorten

OptionValue = int | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a number within bounds, one of several words, or (with neither) free text."""

    name: str
    default: OptionValue
    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        return "text" if self.low is None else f"a whole number from {self.low} to {self.high}"

    def read(self, game: str, value: object) -> OptionValue:
        if self.choices:
            if value in self.choices:
                return str(value)
        elif self.low is None or self.high is None:
            if isinstance(value, str):
                return value
        else:
            number = whole(value)
            if number is not None and self.low <= number <= self.high:
                return number
        raise InvalidOption(f"option {self.name} of {game} is {self.form}, not {shorten(repr(value))}")


START = Option("start", "", "a position to start from instead of the usual one")


def whole(value: object) -> int | None:
    """A whole number, from an int or from plain decimal digits; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit() and len(value) <= 18:
        return int(value)
    return None


def resolve(game: str, table: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Every option of the table with its value, in the table's order; an empty `start` is left out."""
    known = {option.name for option in table}
    for name in given:
        if name not in known:
            raise InvalidOption(f"{game} has no option {str(name)[:40]!r}; it has {', '.join(sorted(known))}")
    values = {option.name: option.read(game, given.get(option.name, option.default)) for option in table}
    if not values.get("start"):
        values.pop("start", None)
    return values
