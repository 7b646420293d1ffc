"""Which names are the same, and which are none: one name has one bearer, however it is written."""

from __future__ import annotations

import unicodedata

BLANK = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs that show nothing
MOST_MARKS = 2  # on one letter; some languages need that many


def fold(name: str) -> str:
    """The same for two names that look alike: wide or narrow, large or small, in one character or in two."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(filter(str.isprintable, plain))


def readable(name: str) -> bool:
    """Whether everybody can see what it says: no blanks at its ends, nothing invisible, no heaps of marks."""
    if not name or name != name.strip() or not name.isprintable() or not fold(name).strip():
        return False
    marks = MOST_MARKS  # there is no letter before the first
    for character in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind.startswith("M") else 0
        if marks > MOST_MARKS or kind == "Me" or character in BLANK or invisible(character):
            return False
    return True


def invisible(character: str) -> bool:
    """Marks that only choose between looks."""
    return character == "\u034f" or "VARIATION SELECTOR" in unicodedata.name(character, "")
