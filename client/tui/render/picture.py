"""Pictures of boards: lines of styled text for any game, in any size and orientation, and the cell at a position.

Marks are characters as well as colours, so that they can be seen without colours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from engine.board import Board, Cell

Mark = str  # "", "cursor", "picked", "target", "preview", "end", "last"
BRACKETS: Mapping[Mark, str] = {
    "": "  ",
    "cursor": "[]",
    "picked": "{}",
    "target": "()",
    "preview": "<>",
    "end": "><",
    "last": "''",
}


class Ink(NamedTuple):
    """The content of a piece of the picture, which decides its style."""

    kind: str  # "0" or "1" (the side of a piece), "empty", "line" or "label"
    mark: Mark = ""
    strong: bool = False  # the cursor is on this cell
    face: bool = False  # the content of the cell, not the space around it


class Span(NamedTuple):
    """A text with one style."""

    text: str
    ink: Ink


class Size(NamedTuple):
    """The size of a cell in characters, and whether lines separate the cells."""

    width: int
    height: int
    lines: bool


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked cells of a board, and the pieces that a move would put on them (`preview`)."""

    cursor: str | None = None
    picked: tuple[str, ...] = ()
    targets: frozenset[str] = frozenset()
    preview: Mapping[str, Cell] = field(default_factory=dict)
    end: str | None = None
    last: frozenset[str] = frozenset()

    def of(self, name: str) -> Mark:
        """Return the most important mark of a cell, apart from the cursor."""
        if name in self.picked:
            return "picked"
        if name == self.end:
            return "end"
        if name in self.preview:
            return "preview"
        if name in self.targets:
            return "target"
        return "last" if name in self.last else ""


NO_MARKS = Marks()
LINE, LABEL = Ink("line"), Ink("label")


def rotated(board: Board) -> Board:
    """Return the board as seen from the other side."""
    rows = tuple(tuple(row[::-1]) for row in board.rows[::-1])
    return replace(board, rows=rows, files=board.files[::-1], ranks=board.ranks[::-1])


def face_width(board: Board) -> int:
    """Return the width of the content of a cell: the same for all positions of a game, so the picture is stable."""
    longest = max(len(board.face(cell)) for row in board.rows for cell in row)
    label = max(map(len, board.files))
    return max(longest, label, 2 + len(board.marks[0]) if board.counted else 1)


class Picture:
    """A board drawn with cells of a given size."""

    def __init__(self, board: Board, size: Size, *, flipped: bool = False, ascii_only: bool = False) -> None:
        self.board = rotated(board) if flipped else board
        self.size = size
        self._ascii = ascii_only
        longest = max(map(len, self.board.ranks))
        self._margin = longest + 1 if longest else 0
        self._pitch = (size.width + size.lines, size.height + size.lines)

    @property
    def columns(self) -> int:
        return self._margin + len(self.board.files) * self._pitch[0] + self.size.lines

    @property
    def rows(self) -> int:
        return len(self.board.rows) * self._pitch[1] + self.size.lines + 1

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell at a position. A line between cells belongs to the cell before it, so no click is lost."""
        column = (x - self._margin - self.size.lines) // self._pitch[0]
        row = (y - self.size.lines) // self._pitch[1]
        inside = 0 <= row < len(self.board.rows) and 0 <= column < len(self.board.files)
        return self.board.rows[row][column] if inside else None

    def lines(self, marks: Marks = NO_MARKS) -> list[list[Span]]:
        """Return the lines of the picture from top to bottom, with the labels of the columns last."""
        out: list[list[Span]] = []
        for number, row in enumerate(self.board.rows):
            if self.size.lines:
                out.append(self._rule(number))
            out += [self._row(number, row, inner, marks) for inner in range(self.size.height)]
        if self.size.lines:
            out.append(self._rule(len(self.board.rows)))
        return [*out, self._files()]

    def _files(self) -> list[Span]:
        gap = " " * self.size.lines
        labels = gap.join(f"{label:^{self.size.width}}" for label in self.board.files)
        return [Span(" " * self._margin + gap + labels + gap, LABEL)]

    def _row(self, number: int, row: tuple[Cell | None, ...], inner: int, marks: Marks) -> list[Span]:
        middle = inner == self.size.height // 2
        label = self.board.ranks[number] if middle else ""
        line = [Span(f"{label:<{self._margin}}", LABEL)] if self._margin else []
        for column, cell in enumerate(row):
            if self.size.lines:
                line.append(self._wall(number, column))
            line += self._cell(cell, middle, marks)
        if self.size.lines:
            line.append(self._wall(number, len(row)))
        return line

    def _cell(self, cell: Cell | None, middle: bool, marks: Marks) -> list[Span]:
        width = self.size.width
        if cell is None:
            return [Span(" " * width, LABEL)]
        mark, here = marks.of(cell.name), cell.name == marks.cursor
        shown = marks.preview.get(cell.name, cell)
        ink = Ink("empty" if shown.owner is None else str(shown.owner), mark, here)
        if not middle:
            return [Span(" " * width, ink)]
        bracket = BRACKETS["cursor" if here else mark]
        face = self.board.face(shown)
        face = ("." if self._ascii else "·") if shown.owner is None else face
        left, inside, right = f"{bracket[0]}{face}{bracket[1]}".center(width).partition(face)
        return [Span(left, ink), Span(inside, ink._replace(face=True)), Span(right, ink)]

    # -- lines between cells

    def _is_cell(self, row: int, column: int) -> bool:
        inside = 0 <= row < len(self.board.rows) and 0 <= column < len(self.board.files)
        return inside and self.board.rows[row][column] is not None

    def _across(self, row: int, column: int) -> bool:
        return self._is_cell(row - 1, column) or self._is_cell(row, column)

    def _down(self, row: int, column: int) -> bool:
        return self._is_cell(row, column - 1) or self._is_cell(row, column)

    def _wall(self, row: int, column: int) -> Span:
        bar = "|" if self._ascii else "│"
        return Span(bar if self._down(row, column) else " ", LINE)

    def _rule(self, row: int) -> list[Span]:
        text = " " * self._margin
        dash = "-" if self._ascii else "─"
        for column in range(len(self.board.files) + 1):
            text += self._corner(row, column)
            if column < len(self.board.files):
                text += (dash if self._across(row, column) else " ") * self.size.width
        return [Span(text, LINE)]

    def _corner(self, row: int, column: int) -> str:
        arms = (
            self._down(row - 1, column) if row else False,
            self._across(row, column),
            self._down(row, column) if row < len(self.board.rows) else False,
            self._across(row, column - 1),
        )
        if self._ascii:
            return "+" if any(arms) else " "
        return CORNERS[arms]


# corner characters by their arms: up, right, down, left
CORNERS: Mapping[tuple[bool, bool, bool, bool], str] = {
    (bool(n & 8), bool(n & 4), bool(n & 2), bool(n & 1)): char for n, char in enumerate(" ╴╷┐╶─┌┬╵┘│┤└┴├┼")
}
SIZES = tuple(Size(*size, True) for size in ((15, 7), (11, 5), (7, 3), (5, 3), (4, 3), (5, 1)))


def fit_size(board: Board, columns: int, rows: int) -> Size:
    """Return the largest cell size with which the board fits into the space, or the smallest if none fits."""
    face = face_width(board)
    for size in SIZES:
        picture = Picture(board, size)
        if size.width >= face + 2 and picture.columns <= columns and picture.rows <= rows:
            return size
    return Size(face + 2, 1, False)
