"""One move of a record, and the line it stands in:

    12 white d1c2 left=299.100 took=0.900 charged=0.850 ; depth 9 value +3

The number of the ply, the side, the move, times in seconds, and behind a semicolon whatever somebody noted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from engine.errors import InvalidRecord, shorten

TIMES = ("left", "took", "charged")
LONGEST = 10**13  # milliseconds: three hundred years
UNKNOWN = "?"  # stands for the side where the moves before cannot be played


@dataclass(frozen=True, slots=True)
class Played:
    """Times in milliseconds: left on the clock, taken in truth, charged after credit for lag.

    A move is one word, so that no text a stranger sends as a move can pose as another part of its line.
    """

    move: str
    left: int | None = None
    took: int | None = None
    charged: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if not is_word(self.move):
            raise InvalidRecord(f"a move is one word without blanks, quotes and semicolons, not {shorten(self.move)!r}")
        for name in TIMES:
            value = getattr(self, name)
            if value is not None and not 0 <= value < LONGEST:
                raise InvalidRecord(f"the time {name} is a number of milliseconds from 0 on, not {value}")

    def line(self, ply: int, side: str) -> str:
        times = "".join(
            f" {name}={ms // 1000}.{ms % 1000:03}" for name in TIMES if (ms := getattr(self, name)) is not None
        )
        note = f" ; {quote(self.note)}" if self.note else ""
        return f"{ply} {side} {self.move}{times}{note}"


class Line(NamedTuple):
    """A move as it stands in a record: who played it is said there too."""

    side: str
    played: Played


def read_line(line: str, ply: int) -> Line:
    body, _, note = line.partition(" ; ")
    words = body.split()
    if len(words) < 3 or words[0] != str(ply):
        raise InvalidRecord(f"expected move {ply} as 'number side move', not {shorten(line)!r}")
    times: dict[str, int] = {}
    for word in words[3:]:
        name, _, seconds = word.partition("=")
        if name not in TIMES:
            raise InvalidRecord(f"expected a time like left=297.400 or ' ; ' and a note, not {shorten(word)!r}")
        if name in times:
            raise InvalidRecord(f"the time {name} stands there twice")
        times[name] = milliseconds(seconds)
    return Line(words[1], Played(words[2], note=unquote(note.strip()), **times))


def milliseconds(seconds: str) -> int:
    whole, dot, fraction = seconds.partition(".")
    digits = whole + fraction
    if not (whole and dot and len(fraction) == 3 and len(digits) <= 13 and digits.isascii() and digits.isdigit()):
        raise InvalidRecord(f"a time is seconds with three decimals like 297.400, not {shorten(seconds)!r}")
    return int(digits)


def is_word(text: str) -> bool:
    return text != "" and text.isprintable() and not set(text) & set(' ";')


def quote(text: str) -> str:
    """A text as it may stand to the end of a line: itself, or a JSON string where it could be mistaken."""
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
        raise InvalidRecord(f"{shorten(text)!r} begins with a quotation mark and is not a JSON string")
    return value
