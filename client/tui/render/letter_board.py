"""Boards of characters: for terminals without colours or Unicode, and for boards too small for pixels.

With few colours, or none, every mark is a pair of characters around the content of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from client.tui.render.board_picture import BoardPicture, rotated
from client.tui.render.marks import NO_MARKS, Marks, signed
from client.tui.render.pixels import text_style
from client.tui.render.tokens import Pieces, Tokens, mix
from engine.board import Board, Cell

LAST, TARGET, PICKED, DECISIVE, CURSOR = "''", "()", "{}", "**", "[]"
NOT_MARKED = "  "
PLAIN, DIM, BOLD, REVERSE = Style(), Style(dim=True), Style(bold=True), Style(bold=True, reverse=True)


class Size(NamedTuple):
    """The size of a cell in characters, and whether lines or empty gaps separate the cells."""

    width: int
    height: int
    lines: bool = False
    gaps: bool = False


class Glyphs(NamedTuple):
    """The characters of both sides' pieces and of an empty cell."""

    sides: tuple[str, str]
    empty: str


def brackets(name: str, marks: Marks) -> str:
    """Return the characters around the content of a cell: those of its most important mark."""
    if name == marks.cursor:
        return CURSOR
    if name in marks.picked:
        return PICKED
    if name in marks.decisive:
        return DECISIVE
    if name in marks.targets:
        return TARGET
    return LAST if name in marks.last else NOT_MARKED


class LetterBoard(BoardPicture):
    """A board of characters. Without tokens it has no colours. `tinted`: marks are colours of the ground."""

    def __init__(
        self,
        board: Board,
        size: Size,
        glyphs: Glyphs,
        *,
        tokens: Tokens | None = None,
        pieces: Pieces | None = None,
        tinted: bool = False,
        flipped: bool = False,
        labels: bool = True,
        ascii_only: bool = False,
    ) -> None:
        self.board = rotated(board) if flipped else board
        self.size, self._glyphs, self._ascii = size, glyphs, ascii_only
        self._tokens, self._pieces, self._labels = tokens, pieces, labels
        self._tinted = tinted
        longest = max(map(len, self.board.ranks)) if labels else 0
        self._margin = longest + 1 if longest else 0
        between = size.lines or size.gaps
        self._pitch = (size.width + between, size.height + between)

    @property
    def columns(self) -> int:
        return self._margin + len(self.board.files) * self._pitch[0] + self.size.lines - self.size.gaps

    @property
    def body_columns(self) -> int:
        return self.columns - self._margin

    @property
    def rows(self) -> int:
        return len(self.board.rows) * self._pitch[1] + self.size.lines - self.size.gaps + self._labels

    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell at a position. A line between cells belongs to the cell before it, so no click is lost."""
        column = (x - self._margin - self.size.lines) // self._pitch[0]
        row = (y - self.size.lines) // self._pitch[1]
        inside = 0 <= row < len(self.board.rows) and 0 <= column < len(self.board.files)
        return self.board.rows[row][column] if inside else None

    def lines(self, marks: Marks = NO_MARKS) -> list[list[Segment]]:
        out: list[list[Segment]] = []
        for number, row in enumerate(self.board.rows):
            if self.size.lines:
                out.append(self._rule(number))
            elif self.size.gaps and number:
                out.append([Segment(" " * self.columns, self._quiet)])
            out += [self._row(number, row, inner, marks) for inner in range(self.size.height)]
        if self.size.lines:
            out.append(self._rule(len(self.board.rows)))
        return [*out, self._files()] if self._labels else out

    # -- styles

    @property
    def _quiet(self) -> Style:
        return DIM if self._tokens is None else text_style(self._tokens.muted, self._tokens.bg, False)

    @property
    def _plain(self) -> Style:
        return PLAIN if self._tokens is None else text_style(self._tokens.text, self._tokens.bg, False)

    def _bracketed_style(self, cell: Cell, marks: Marks) -> Style:
        """Return the style of a cell whose marks are characters. A piece has the colour of its side."""
        strong = brackets(cell.name, marks)
        plain = self._plain
        if cell.owner is not None and self._tokens is not None and self._pieces is not None:
            plain = text_style(self._pieces.of(cell.owner), self._tokens.bg, False)
        if strong in (PICKED, CURSOR):
            return plain + REVERSE
        if strong == DECISIVE or (cell.owner is not None and not marks.fades(cell)):
            return plain + BOLD
        return (plain if cell.owner is not None else self._quiet) + DIM if strong == NOT_MARKED else plain

    def _style(self, cell: Cell, marks: Marks) -> Style:
        tokens, pieces = self._tokens, self._pieces
        if tokens is None or pieces is None or not self._tinted:
            return self._bracketed_style(cell, marks)
        ground = mix(pieces.ground, tokens.mark, 0.26) if cell.name in marks.last else pieces.ground
        if cell.name in marks.picked or cell.name in (marks.cursor, *marks.decisive):
            ground = mix(pieces.ground, tokens.mark, 0.6)
        if cell.owner is None:
            return text_style(mix(ground, tokens.text, 0.35), ground, False)
        ink = pieces.of(cell.owner)
        ink = mix(ink, pieces.ground, tokens.fade) if marks.fades(cell) else ink
        return text_style(tokens.number, ink, True) if self._is_numbered(cell) else text_style(ink, ground, True)

    def _is_numbered(self, cell: Cell) -> bool:
        """Return whether a cell is shown as a number on the colour of its side."""
        return self._tinted and self.board.counted and bool(self.board.marks[0])

    # -- cells

    def _face(self, cell: Cell, marks: Marks) -> str:
        """Return the content of a cell, and what a preview would add to it."""
        added = (signed(marks.change(cell)) if self.board.counted else "+") if self._changes(cell, marks) else ""
        if self.board.counted and not self.board.marks[0]:  # both sides have the same pieces
            text = str(cell.count)
        elif cell.owner is None:
            text = "" if added else self._glyphs.empty
        else:
            count = str(cell.count) if self.board.counted else ""
            text = count if self._is_numbered(cell) else self._glyphs.sides[cell.owner] + count
        return text + added

    def _changes(self, cell: Cell, marks: Marks) -> bool:
        """Return whether to show what a preview changes. Stones that leave are picked: their number says enough."""
        shrinks = marks.change(cell) < 0 and not self.board.marks[0]
        return shrinks or marks.newcomer(cell) is not None

    def _row(self, number: int, row: tuple[Cell | None, ...], inner: int, marks: Marks) -> list[Segment]:
        middle = inner == self.size.height // 2
        label = self.board.ranks[number] if middle else ""
        line = [Segment(f"{label:<{self._margin}}", self._quiet)] if self._margin else []
        for column, cell in enumerate(row):
            if self.size.lines:
                line.append(self._wall(number, column))
            elif self.size.gaps and column:
                line.append(Segment(" ", self._quiet))
            line += self._cell(cell, middle, marks)
        if self.size.lines:
            line.append(self._wall(number, len(row)))
        return line

    def _cell(self, cell: Cell | None, middle: bool, marks: Marks) -> Iterator[Segment]:
        width = self.size.width
        if cell is None:
            yield Segment(" " * width, self._quiet)
            return
        style = self._style(cell, marks)
        if not middle:
            yield Segment(" " * width, style if self._tinted else self._plain)
            return
        around = NOT_MARKED if self._tinted else brackets(cell.name, marks)
        face = f"{around[0]}{self._face(cell, marks)}{around[1]}"
        face = face if len(face) <= width else face.strip()[:width]
        before = (width - len(face)) // 2
        ground = style if self._tinted else self._plain
        yield Segment(" " * before, ground)
        yield Segment(face, style)
        yield Segment(" " * (width - len(face) - before), ground)

    def _files(self) -> list[Segment]:
        edge, gap = " " * self.size.lines, " " * (self.size.lines or self.size.gaps)
        labels = gap.join(f"{label:^{self.size.width}}" for label in self.board.files)
        return [Segment(" " * self._margin + edge + labels + edge, self._quiet)]

    # -- lines between cells

    def _is_cell(self, row: int, column: int) -> bool:
        inside = 0 <= row < len(self.board.rows) and 0 <= column < len(self.board.files)
        return inside and self.board.rows[row][column] is not None

    def _across(self, row: int, column: int) -> bool:
        return self._is_cell(row - 1, column) or self._is_cell(row, column)

    def _down(self, row: int, column: int) -> bool:
        return self._is_cell(row, column - 1) or self._is_cell(row, column)

    def _wall(self, row: int, column: int) -> Segment:
        bar = "|" if self._ascii else "│"
        return Segment(bar if self._down(row, column) else " ", self._quiet)

    def _rule(self, row: int) -> list[Segment]:
        text = " " * self._margin
        dash = "-" if self._ascii else "─"
        for column in range(len(self.board.files) + 1):
            text += self._corner(row, column)
            if column < len(self.board.files):
                text += (dash if self._across(row, column) else " ") * self.size.width
        return [Segment(text, self._quiet)]

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
SPACED_SIZE = Size(3, 1, gaps=True)
LINED_SIZES = tuple(Size(*size, True) for size in ((15, 7), (11, 5), (7, 3), (5, 3), (7, 1), (5, 1)))


def face_width(board: Board) -> int:
    """Return the width of the content of a cell: the same for all positions of a game, so the picture is stable."""
    longest = max(len(board.face(cell)) for row in board.rows for cell in row)
    label = max(map(len, board.files))
    return max(longest, label, 2 + len(board.marks[0]) if board.counted else 1)


def letter_sizes(board: Board, lines: bool, tiny: bool = False) -> list[Size]:
    """Return the sizes in which a board can be drawn, from large to small. The smallest have no lines.

    `tiny`: also a size without space for marks around the content of a cell.
    """
    face = face_width(board)
    lined = [size for size in LINED_SIZES if size.width >= face + 2] if lines else []
    spaced = [] if lines or not (board.counted and board.marks[0]) else [SPACED_SIZE]  # numbers on coloured squares
    return [*lined, *spaced, Size(face + 2, 1), *([Size(face + 1, 1)] if tiny else [])]
