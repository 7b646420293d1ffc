"""A position as a grid of cells, each with an owner, a count and a name. Clients draw every game from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a board. `name` is its name in the notation of the game ("a4", "store 1")."""

    name: str
    owner: int | None
    count: int = 0


@dataclass(frozen=True, slots=True)
class Board:
    """The rows of a board from the top. None stands for a gap in the grid.

    `files` and `ranks` label the columns and rows ("" for no label). `marks` has one letter per side.
    `counted` is true if the number of stones in a cell matters, not only the owner.
    """

    rows: tuple[tuple[Cell | None, ...], ...]
    files: tuple[str, ...]
    ranks: tuple[str, ...]
    marks: tuple[str, str]
    counted: bool

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells row by row from the top, without the gaps."""
        return tuple([cell for row in self.rows for cell in row if cell is not None])

    def face(self, cell: Cell | None) -> str:
        """Return the text of a cell: "" for a gap, "." for an empty cell."""
        if cell is None:
            return ""
        if cell.owner is None:
            return "."
        return f"{self.marks[cell.owner]}{cell.count}" if self.counted else self.marks[cell.owner]

    def text(self) -> str:
        """Return the board as plain text, one line per row."""
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
        """Return the cell names in a text, or () if the text contains other letters or digits."""
        form = name_pattern(tuple([cell.name for cell in self.cells()]))
        return () if re.search(r"\w", form.sub("", text)) else tuple(form.findall(text))

    def changed(self, label: str, after: Board, side: int) -> tuple[str, ...]:
        """Return the only cell that a move changes and that `side` owns before or after it, or () if not unique.

        If `label` names a file, only the cells of that file count.
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
def name_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches any of the names. Longer names come first: a name may be a prefix of another."""
    return re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))


NEITHER_BYTE = 3 * ord("0")  # the sum that bits_to_text computes for a bit that neither word has
BOTH_BYTE = bytes((NEITHER_BYTE + 3,))


def bit_marks(neither: str, first: str, second: str) -> bytes:
    """Return the translation table for `bits_to_text`: a character per bit in neither, the first or the second word."""
    table = bytearray(256)
    table[NEITHER_BYTE : NEITHER_BYTE + 3] = f"{neither}{first}{second}".encode()
    return bytes(table)


def bits_to_text(first: int, second: int, width: int, table: bytes) -> str:
    """Return one character per bit, lowest bit first. A bit that both words have is left out.

    The binary digits of a word, read as the bytes of one long number, can be added without a carry. This is much
    faster than a loop over the bits.
    """
    total = int.from_bytes(f"{first:0{width}b}".encode()) + 2 * int.from_bytes(f"{second:0{width}b}".encode())
    return total.to_bytes(width, "little").translate(table, BOTH_BYTE).decode()
