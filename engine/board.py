"""A position as a picture: cells with an owner, a count and a name. One view draws every game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Cell:
    """One place on a board. `name` is what people call it ("a4", "store 1")."""

    name: str
    owner: int | None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Board:
    """Rows from the top; None where the grid has no place. `counted`: the number of stones matters, not just the owner.

    `files` are the labels of the columns and `ranks` those of the rows ("" for none); `marks` is one letter a side.
    """

    rows: tuple[tuple[Cell | None, ...], ...]
    files: tuple[str, ...]
    ranks: tuple[str, ...]
    marks: tuple[str, str]
    counted: bool

    def face(self, cell: Cell | None) -> str:
        """What stands in a cell, as text."""
        if cell is None:
            return ""
        if cell.owner is None:
            return "."
        return f"{self.marks[cell.owner]}{cell.count}" if self.counted else self.marks[cell.owner]

    def text(self) -> str:
        """The board in plain characters."""
        faces = [[self.face(cell) for cell in row] for row in self.rows]
        width = max(len(text) for row in [*faces, list(self.files)] for text in row)
        margin = max(map(len, self.ranks))
        lines = [
            f"{rank:>{margin}}  " + " ".join(f"{face:>{width}}" for face in row)
            for rank, row in zip(self.ranks, faces, strict=True)
        ]
        lines.append(" " * margin + "  " + " ".join(f"{label:>{width}}" for label in self.files))
        return "\n".join(line.rstrip() for line in lines)

    def named(self, text: str) -> tuple[str, ...]:
        """The cells whose names a text is made of, with nothing but signs between them; none if there is more to it."""
        form = any_of(tuple(cell.name for row in self.rows for cell in row if cell is not None))
        return () if re.search(r"\w", form.sub("", text)) else tuple(form.findall(text))

    def changed(self, label: str, after: Board, side: int) -> tuple[str, ...]:
        """The cell that is different after a move and a side's before or after it; none if there are several.

        If the label is that of a file, only its cells count.
        """
        found = [
            new.name
            for old_row, new_row in zip(self.rows, after.rows, strict=True)
            for file, old, new in zip(self.files, old_row, new_row, strict=True)
            if old is not None and new is not None and old != new and side in (old.owner, new.owner)
            if file == label or label not in self.files
        ]
        return tuple(found) if len(found) == 1 else ()


@lru_cache(maxsize=64)
def any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Longer names first, since others may be their beginnings."""
    return re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))


ZERO = 3 * ord("0")  # of spread: the byte of a bit in neither word
BOTH = bytes((ZERO + 3,))


def faces(neither: str, first: str, second: str) -> bytes:
    """The characters that `spread` writes, each for bits in these words."""
    table = bytearray(256)
    table[ZERO : ZERO + 3] = f"{neither}{first}{second}".encode()
    return bytes(table)


def spread(first: int, second: int, width: int, table: bytes) -> str:
    """One character a bit, lowest first; none for a bit that is in both words.

    The digits of a word in base two, read as bytes of one long number, can be added without a carry: much faster than
    bit by bit.
    """
    total = int.from_bytes(f"{first:0{width}b}".encode()) + 2 * int.from_bytes(f"{second:0{width}b}".encode())
    return total.to_bytes(width, "little").translate(table, BOTH).decode()
