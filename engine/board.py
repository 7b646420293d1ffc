"""A position as a picture: cells with an owner, a count and a name. One view draws every game."""

from __future__ import annotations

from dataclasses import dataclass


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


def digits(first: int, second: int, width: int) -> str:
    """One digit a bit, lowest first: 0 in neither word, 1 in the first, 2 in the second.

    A word in base two, read as if it were in base ten, can be added without a carry: much faster than bit by bit.
    """
    return f"{int(f'{first:b}') + 2 * int(f'{second:b}'):0{width}d}"[::-1]
