"""The options of a game, and the conversion of user input into option values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import InvalidOption, shorten

OptionValue = int | str


@dataclass(frozen=True, slots=True)
class Option:
    """One option: a number within bounds, one of several words, or free text."""

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
            number = parse_int(value)
            if number is not None and self.low <= number <= self.high:
                return number
        raise InvalidOption(f"option {self.name} of {game} must be {self.form}, not {shorten(repr(value))}")


START = Option("start", "", "a position to start from (default: the usual start)")


def parse_int(value: object) -> int | None:
    """Return an int, or the value of a text of ASCII digits. Return None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit() and len(value) <= 18:
        return int(value)
    return None


def resolve(game: str, table: tuple[Option, ...], given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return the value of every option, in the order of the table, without an empty `start`. Raises InvalidOption."""
    known = {option.name for option in table}
    for name in given:
        if name not in known:
            raise InvalidOption(f"{game} has no option {str(name)[:40]!r}; use one of {', '.join(sorted(known))}")
    values = {option.name: option.read(game, given.get(option.name, option.default)) for option in table}
    if not values.get("start"):
        values.pop("start", None)
    return values
