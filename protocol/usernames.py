"""Which names are the same, and which are none: one name has one bearer, however it is written."""

from __future__ import annotations

import re
import unicodedata

# In the names that Unicode gives to what can be printed and shows nothing, or only chooses between looks.
UNSEEN = (
    "FILLER", "PATTERN BLANK", "FULL BLANK", "HALF BLANK", "VOWEL INHERENT", "JOINER", "VARIATION SELECTOR",
    "NULL NOTEHEAD", "OBJECT REPLACEMENT",
)  # fmt: skip
ALIKE = ("Latin", "Greek", "Cyrillic", "Armenian", "Cherokee", "Coptic", "Lisu")  # alphabets that share shapes
MOST_MARKS = 2  # on one letter; some languages need that many


def fold(name: str) -> str:
    """The same for two names that look alike: wide or narrow, large or small, in one character or in two."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(filter(str.isprintable, plain))


def is_readable(name: str) -> bool:
    """Whether everybody can see what it says: no blanks at its ends, nothing invisible, no heaps of marks."""
    if not name or name != name.strip() or not name.isprintable() or not fold(name).strip():
        return False
    marks = MOST_MARKS  # there is no letter before the first
    for character in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(character)
        marks = marks + 1 if kind.startswith("M") else 0
        if marks > MOST_MARKS or kind == "Me" or is_invisible(character):
            return False
    return True


def is_invisible(character: str) -> bool:
    name = unicodedata.name(character, "")
    return any(words in name for words in UNSEEN)


def mixed_alphabets(name: str) -> list[str]:
    """Those of the first word that mixes alphabets which look alike, as it may pass for another one."""
    for word in re.split(r"[\W_]+", unicodedata.normalize("NFKC", name)):
        scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in word if letter.isalpha()}
        mixed = [alphabet for alphabet in ALIKE if alphabet.upper() in scripts]
        if len(mixed) > 1:
            return mixed
    return []
