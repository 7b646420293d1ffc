"""Rules for the names of players: names that look alike are the same name, and a name must be visible."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Unicode names of printable characters that show nothing, or only select a variant, contain one of these.
INVISIBLE_NAMES = (
    "FILLER", "PATTERN BLANK", "FULL BLANK", "HALF BLANK", "VOWEL INHERENT", "JOINER", "VARIATION SELECTOR",
    "NULL NOTEHEAD", "OBJECT REPLACEMENT",
)  # fmt: skip
SIMILAR_ALPHABETS = ("Latin", "Greek", "Cyrillic", "Armenian", "Cherokee", "Coptic", "Lisu")  # they share shapes
FOLDED_NAMES_CACHED = 1024  # the name of a player is folded at every hello and at every change of its rooms
MAX_MARKS_PER_LETTER = 2  # some languages need that many


@lru_cache(FOLDED_NAMES_CACHED)
def fold(name: str) -> str:
    """Return a key that is equal for names that look alike: it ignores width, case and how characters are composed."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(filter(str.isprintable, plain))


def is_readable(name: str) -> bool:
    """Return whether a name is visible: no blanks at its ends, no invisible characters, no piles of marks."""
    if not name or name != name.strip() or not name.isprintable() or not fold(name).strip():
        return False
    if name.isascii():  # then all its characters are visible
        return True
    marks = MAX_MARKS_PER_LETTER  # no mark may come before the first letter
    for character in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind.startswith("M") else 0
        if marks > MAX_MARKS_PER_LETTER or kind == "Me" or is_invisible(character):
            return False
    return True


def is_invisible(character: str) -> bool:
    name = unicodedata.name(character, "")
    return any(words in name for words in INVISIBLE_NAMES)


def mixed_alphabets(name: str) -> list[str]:
    """Return the alphabets of the first word that mixes similar ones: it could be mistaken for another word."""
    if name.isascii():
        return []
    for word in re.split(r"[\W_]+", unicodedata.normalize("NFKC", name)):
        scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in word if letter.isalpha()}
        mixed = [alphabet for alphabet in SIMILAR_ALPHABETS if alphabet.upper() in scripts]
        if len(mixed) > 1:
            return mixed
    return []
