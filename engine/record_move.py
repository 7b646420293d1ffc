"""One move of a record, and its line in the text.

    12 white d1c2 left=299.100 took=0.900 charged=0.850 ; depth 9 value +3

A line has the ply, the side, the move, times in seconds, and an optional note after a semicolon.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from engine.errors import InvalidRecord, shorten

TIME_FIELDS = ("left", "took", "charged")
MAX_TIME_MS = 10**13  # three hundred years
UNKNOWN_SIDE = "?"  # written as the side if the earlier moves cannot be played


@dataclass(frozen=True, slots=True)
class Played:
    """A played move. Times are in milliseconds: left on the clock, taken, charged after the lag credit.

    A move is one word. Otherwise a client could send a move that reads like another part of the line.
    """

    move: str
    left: int | None = None
    took: int | None = None
    charged: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not is_one_word(self.move):
            raise InvalidRecord(f"a move must be one word without quotes and semicolons, not {shorten(self.move)!r}")
        for name in TIME_FIELDS:
            value = getattr(self, name)
            if value is not None and not 0 <= value < MAX_TIME_MS:
                raise InvalidRecord(f"the time {name} must be from 0 to {MAX_TIME_MS - 1} milliseconds, not {value}")

    def line(self, ply: int, side: str) -> str:
        times = "".join(
            f" {name}={ms // 1000}.{ms % 1000:03}" for name in TIME_FIELDS if (ms := getattr(self, name)) is not None
        )
        note = f" ; {quote(self.note)}" if self.note else ""
        return f"{ply} {side} {self.move}{times}{note}"


class MoveLine(NamedTuple):
    """A move in a record, with the name of the side that played it."""

    side: str
    played: Played


def read_line(line: str, ply: int) -> MoveLine:
    body, _, note = line.partition(" ; ")
    words = body.split()
    if len(words) < 3 or words[0] != str(ply):
        raise InvalidRecord(f"expected move {ply} as 'number side move', not {shorten(line)!r}")
    times: dict[str, int] = {}
    for word in words[3:]:
        name, _, seconds = word.partition("=")
        if name not in TIME_FIELDS:
            raise InvalidRecord(f"expected a time like left=297.400 or ' ; ' and a note, not {shorten(word)!r}")
        if name in times:
            raise InvalidRecord(f"the time {name} appears twice")
        times[name] = milliseconds(seconds)
    return MoveLine(words[1], Played(words[2], note=unquote(note.strip()), **times))


def milliseconds(seconds: str) -> int:
    whole, dot, fraction = seconds.partition(".")
    digits = whole + fraction
    if not (whole and dot and len(fraction) == 3 and len(digits) <= 13 and digits.isascii() and digits.isdigit()):
        raise InvalidRecord(f"a time must be seconds with three decimals like 297.400, not {shorten(seconds)!r}")
    return int(digits)


def is_one_word(text: str) -> bool:
    return text != "" and text.isprintable() and not set(text) & set(' ";')


def quote(text: str) -> str:
    """Return a text in the form used at the end of a line: unchanged, or a JSON string if it would be ambiguous."""
    plain = text.isprintable() and text == text.strip() and not text.startswith('"')
    return text if plain else json.dumps(text)


def unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, str):
        raise InvalidRecord(f"{shorten(text)!r} begins with a quotation mark but is not a JSON string")
    return value
