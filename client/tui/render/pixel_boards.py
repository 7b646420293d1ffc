"""Boards drawn with pixels: stacks, discs and marbles on a grid.

A class per kind of board draws any game of that kind from its `Board`. The position is solid, a preview is hollow: it
adds numbers and outlines, and never changes a number of the position.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from rich.segment import Segment

from client.tui.render.board_picture import BoardPicture, column_of, rotated
from client.tui.render.marks import NO_MARKS, Marks, signed
from client.tui.render.pixels import Pixels, Text, text_style, to_segments
from client.tui.render.tokens import BLACK, TOKENS, WHITE, Colour, Tokens, mix
from engine.board import Board, Cell

SMALLEST_STONE_PITCH = 6  # smaller stones fill their squares
LAST_TINT = 0.26  # how much of the mark colour the cells of the last move have


class PixelBoard(BoardPicture):
    """A board drawn at one pitch: the distance in pixels from a cell to the next."""

    PITCHES: ClassVar[tuple[int, ...]]  # from large to small
    TINY_PITCHES: ClassVar[tuple[int, ...]] = ()  # without space for a preview: only for boards without labels

    def __init__(self, board: Board, pitch: int, theme: str, *, flipped: bool = False, labels: bool = True) -> None:
        self.board = rotated(board) if flipped else board
        self.pitch, self.theme, self.labels = pitch, theme, labels
        self.tokens: Tokens = TOKENS[theme]
        self.margin = max(map(len, board.ranks)) + 1 if labels and self._has_ranks(board) else 0
        self.header = 0  # text rows above the picture

    @staticmethod
    def _has_ranks(board: Board) -> bool:
        return any(board.ranks)

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels; the height is even."""

    @property
    def columns(self) -> int:
        return self.margin + self.size[0]

    @property
    def body_columns(self) -> int:
        return self.size[0]

    @property
    def rows(self) -> int:
        return self.header + self.size[1] // 2 + self.labels

    def lines(self, marks: Marks = NO_MARKS) -> list[list[Segment]]:
        pixels, texts = self.paint(marks)
        if marks.decisive and marks.shown < 1:
            plain, _ = self.paint(replace(marks, decisive=frozenset()))
            pixels = plain.mixed_with(pixels, marks.shown)
        body = to_segments(pixels, texts)
        blank = Segment(" " * self.margin, text_style(self.tokens.muted, self.tokens.bg, False))
        ranks = self._rank_rows() if self.margin else {}
        lines = [
            [self._plain(ranks.get(y, ""), self.margin) if y in ranks else blank, *line] if self.margin else line
            for y, line in enumerate(body)
        ]
        lines = [*self._header(marks), *lines]
        return [*lines, self._files(marks)] if self.labels else lines

    @abstractmethod
    def paint(self, marks: Marks) -> tuple[Pixels, list[Text]]:
        """Return the picture without labels, and the texts on it."""

    @abstractmethod
    def column_centre(self, column: int) -> int:
        """Return the character in the middle of a column, without the margin."""

    def _rank_rows(self) -> Mapping[int, str]:
        return {}

    def _header(self, marks: Marks) -> list[list[Segment]]:
        return []

    def _plain(self, text: str, width: int) -> Segment:
        return Segment(f"{text:<{width}}", text_style(self.tokens.muted, self.tokens.bg, False))

    def _files(self, marks: Marks) -> list[Segment]:
        """Return the labels below the columns. The label of the cursor's column is marked."""
        chosen = column_of(self.board, marks.cursor)
        return self._labels_line({n: label for n, label in enumerate(self.board.files) if label}, chosen)

    def _labels_line(self, labels: Mapping[int, str], chosen: int | None) -> list[Segment]:
        ink, bg = self.tokens, self.tokens.bg
        line: list[Segment] = []
        at = 0
        for column, label in labels.items():
            x = self.margin + self.column_centre(column) - (len(label) - 1) // 2
            line.append(Segment(" " * (x - at), text_style(ink.muted, bg, False)))
            is_chosen = column == chosen
            line.append(Segment(label, text_style(ink.accent if is_chosen else ink.muted, bg, is_chosen)))
            at = x + len(label)
        return [*line, Segment(" " * max(0, self.columns - at), text_style(ink.muted, bg, False))]


class GridBoard(PixelBoard):
    """Square cells, one pixel apart."""

    @property
    def top(self) -> int:
        """The first pixel row of the cells."""
        return 1

    @property
    def size(self) -> tuple[int, int]:
        height = self.top + len(self.board.rows) * self.pitch
        return len(self.board.files) * self.pitch + 1, height + height % 2

    def corner(self, column: int, row: int) -> tuple[int, int]:
        """Return the upper left pixel of a cell."""
        return column * self.pitch + 1, row * self.pitch + self.top

    def column_centre(self, column: int) -> int:
        return column * self.pitch + 1 + (self.pitch - 1) // 2

    def text_row(self, row: int) -> int:
        """Return the text row in the middle of a row of cells."""
        return (row * self.pitch + self.top + (self.pitch - 2) // 2) // 2

    def _rank_rows(self) -> Mapping[int, str]:
        return {self.text_row(row): label for row, label in enumerate(self.board.ranks)}

    def cell_at(self, x: int, y: int) -> Cell | None:
        column = (x - self.margin) // self.pitch
        row = (2 * (y - self.header) - self.top + 1) // self.pitch
        inside = 0 <= row < len(self.board.rows) and 0 <= column < len(self.board.files)
        return self.board.rows[row][column] if inside and x >= self.margin else None

    def paint(self, marks: Marks) -> tuple[Pixels, list[Text]]:
        pixels = Pixels(*self.size, self.ground())
        texts: list[Text] = []
        frames: list[tuple[int, int, Colour]] = []
        for row, cells in enumerate(self.board.rows):
            for column, cell in enumerate(cells):
                if cell is None:
                    continue
                x, y = self.corner(column, row)
                pixels.paste(self.tile(cell, marks, column), x, y)
                if self.is_framed(cell.name, marks):
                    frames.append((x - 1, y - 1, self.tokens.mark))
                texts += self.texts(cell, marks, column, row)
        for x, y, ink in frames:
            pixels.frame(x, y, self.pitch + 1, self.pitch + 1, ink)
        return pixels, texts

    def ground(self) -> Colour:
        return self.tokens.bg

    @abstractmethod
    def tile(self, cell: Cell, marks: Marks, column: int) -> Pixels:
        """Return the picture of a cell: a square whose side is one pixel less than the pitch."""

    def is_framed(self, name: str, marks: Marks) -> bool:
        return name == marks.cursor or name in marks.picked or name in marks.decisive

    def texts(self, cell: Cell, marks: Marks, column: int, row: int) -> list[Text]:
        return []


# -- stacks


class StackBoard(GridBoard):
    """Stones piled on squares; the number of stones is on the pile."""

    PITCHES = (18, 14, 12, 10, 8, 6, 4)

    @property
    def top(self) -> int:
        return 2 if self.pitch % 4 == 0 else 1  # so that a number is in the middle of its stone

    def tile(self, cell: Cell, marks: Marks, column: int) -> Pixels:
        return stack_tile(
            self.theme,
            self.pitch,
            cell.owner,
            cell.count,
            last=cell.name in marks.last and not marks.decisive,
            hollow=cell.name in marks.picked,
            faded=marks.fades(cell),
            target=cell.name in marks.targets,
            preview=marks.newcomer(cell),
        )

    def texts(self, cell: Cell, marks: Marks, column: int, row: int) -> list[Text]:
        tokens, change = self.tokens, marks.change(cell)
        ink = tokens.number
        if cell.name in marks.picked or not cell.count:
            ink = tokens.text
        elif marks.fades(cell):
            ink = mix(tokens.number, tokens.stacks.ground, 0.5)
        text = (str(cell.count) if cell.count else "") + (signed(change) if change > 0 else "")
        if not text:
            return []
        return [Text(self.column_centre(column) - len(text) // 2, self.text_row(row), text, ink)]


@lru_cache(maxsize=2048)
def stack_tile(
    theme: str,
    pitch: int,
    owner: int | None,
    count: int,
    *,
    last: bool = False,
    hollow: bool = False,
    faded: bool = False,
    target: bool = False,
    preview: int | None = None,
) -> Pixels:
    """Return a square with a stack. `preview`: the side whose stones would come here. Do not change the result."""
    tokens = TOKENS[theme]
    square = tokens.stacks.ground
    side = pitch - 1
    pixels = Pixels(side, side, mix(square, tokens.mark, LAST_TINT) if last else square)
    middle_x, middle_y, half = side / 2, (pitch - 2) / 2, pitch / 2
    if owner is not None:
        ink = tokens.stacks.of(owner)
        ink = mix(ink, square, tokens.fade) if faded else ink
        radius = (half - 1.05) * (0.66 + 0.34 * min(1.0, count / 8))
        if pitch < SMALLEST_STONE_PITCH:
            pixels.rectangle(0, 0, side, side, mix(ink, square, 0.7) if hollow else ink)
        elif tokens.by_shape and owner == 1:
            draw_block(pixels, middle_x, middle_y, radius, ink, square, hollow)
        else:
            draw_stone(pixels, middle_x, middle_y, radius, ink, square, hollow)
    if preview is not None and pitch < SMALLEST_STONE_PITCH:  # no space for a ring around a number
        ground = square if owner is None else tokens.stacks.of(owner)
        pixels.rectangle(0, 0, side, side, mix(ground, tokens.stacks.of(preview), 0.3))
    elif preview is not None:
        ring = tokens.stacks.of(preview) if owner is None else tokens.mark
        radius = (half - 1.05) * (0.9 if owner is None else 1.08)
        if tokens.by_shape and preview == 1:
            k = round(radius - 0.5)
            pixels.frame(int(middle_x) - k, int(middle_y) - k, 2 * k + 1, 2 * k, ring)
        else:
            pixels.ring(middle_x, middle_y, radius, 0.75, ring)
    elif target and owner is None:
        pixels.disc(middle_x, side / 2, max(1.4, half * 0.3), tokens.mark)
    elif target:
        for x in (0, side - 1):
            for y in (0, side - 1):
                pixels.rectangle(x, y, 1, 1, tokens.mark)
    return pixels


def draw_stone(pixels: Pixels, x: float, y: float, radius: float, ink: Colour, ground: Colour, hollow: bool) -> None:
    """Draw a round stone with a darker lower rim; a hollow one if it is about to leave."""
    pixels.disc(x, y + 1, radius, mix(ink, BLACK, 0.45))
    pixels.disc(x, y, radius, ink)
    if hollow:
        pixels.disc(x, y, radius, ground, 0.62)
        pixels.ring(x, y, radius, 0.7, ink)


def draw_block(pixels: Pixels, x: float, y: float, radius: float, ink: Colour, ground: Colour, hollow: bool) -> None:
    """Draw a square stone, which differs from a round one without colour."""
    k = round(radius - 0.5)
    left, top = int(x) - k, int(y) - k
    pixels.rectangle(left, top + 1, 2 * k + 1, 2 * k, mix(ink, BLACK, 0.45))
    pixels.rectangle(left, top, 2 * k + 1, 2 * k, ink)
    if hollow:
        pixels.rectangle(left + 1, top + 1, 2 * k - 1, 2 * k - 2, mix(ink, ground, 0.62))


# -- discs


class DiscBoard(GridBoard):
    """A frame with round holes, and discs that fall into columns."""

    PITCHES = (13, 11, 9, 7, 5, 4, 3)

    @property
    def top(self) -> int:
        return 1 if self.pitch > 3 else 0  # the smallest board has no upper edge

    def __init__(self, board: Board, pitch: int, theme: str, *, flipped: bool = False, labels: bool = True) -> None:
        super().__init__(board, pitch, theme, flipped=flipped, labels=labels)
        self.header = 1 if labels else 0

    def ground(self) -> Colour:
        return self.tokens.discs.ground

    def is_framed(self, name: str, marks: Marks) -> bool:
        return False

    def _header(self, marks: Marks) -> list[list[Segment]]:
        chosen = column_of(self.board, marks.cursor)
        return [self._labels_line({} if chosen is None else {chosen: "▼"}, chosen)] if self.header else []

    def tile(self, cell: Cell, marks: Marks, column: int) -> Pixels:
        return disc_tile(
            self.theme,
            self.pitch,
            cell.owner,
            last=cell.name in marks.last and not marks.fades(cell),
            faded=marks.fades(cell),
            decisive=cell.name in marks.decisive,
            pointed=marks.cursor is not None and column == column_of(self.board, marks.cursor),
            preview=marks.newcomer(cell),
        )


@lru_cache(maxsize=2048)
def disc_tile(
    theme: str,
    pitch: int,
    owner: int | None,
    *,
    last: bool = False,
    faded: bool = False,
    decisive: bool = False,
    pointed: bool = False,
    preview: int | None = None,
) -> Pixels:
    """Return a hole with or without a disc. `pointed`: its column is chosen. Do not change the result."""
    tokens = TOKENS[theme]
    frame, side = tokens.discs.ground, pitch - 1
    pixels = Pixels(side, side, frame)
    ink = None if owner is None else tokens.discs.of(owner)
    ink = mix(ink, tokens.hole, tokens.fade) if ink is not None and faded else ink
    if pitch < 5:  # too small for a round hole
        ground = mix(tokens.hole, frame, 0.25) if ink is None else mix(ink, tokens.text, 0.5) if last else ink
        pixels.rectangle(0, 0, side, side, ground)
        return pixels
    middle, radius = side / 2, side / 2 + (0.25 if pitch < 7 else 0.1)
    pixels.disc(middle, middle, radius, tokens.hole)
    if pointed:
        pixels.disc(middle, middle, radius, tokens.mark, 0.1)
    if ink is not None:
        pixels.disc(middle, middle, radius, ink)
        strong = tokens.by_shape and owner == 1  # a clear ring tells this side without colour
        width = max(0.6, radius * 0.2) if strong else max(0.35, radius * 0.14)
        pixels.ring(middle, middle, radius * 0.72, width, mix(ink, BLACK, 0.5 if strong else 0.22))
        if decisive:  # a ring in the colour of the side; the disc of the last move has a stronger one
            ring = tokens.text if last else mix(ink, tokens.text, 0.55)
            pixels.ring(middle, middle, radius, max(0.8, radius * 0.24), ring)
        if last:
            pixels.disc(middle, middle, max(0.75, radius * 0.3), tokens.text)
    elif preview is not None:
        pixels.ring(middle, middle, radius, 0.9, tokens.discs.of(preview))
    return pixels


# -- marbles


class MarbleBoard(GridBoard):
    """Marbles on a grid."""

    PITCHES = (13, 11, 10, 9, 8, 7, 6, 5, 4, 3)

    def ground(self) -> Colour:
        square = self.tokens.marbles.ground
        return mix(square, BLACK, 0.28 if self.pitch > 3 else 0.2)  # the lines of the smallest board are a third of it

    def tile(self, cell: Cell, marks: Marks, column: int) -> Pixels:
        return marble_tile(
            self.theme,
            self.pitch,
            cell.owner,
            last=cell.name in marks.last,
            faded=marks.fades(cell),
            target=cell.name in marks.targets,
            preview=marks.newcomer(cell),
        )


@lru_cache(maxsize=2048)
def marble_tile(
    theme: str,
    pitch: int,
    owner: int | None,
    *,
    last: bool = False,
    faded: bool = False,
    target: bool = False,
    preview: int | None = None,
) -> Pixels:
    """Return a square with or without a marble. Do not change the result."""
    tokens = TOKENS[theme]
    square, side = tokens.marbles.ground, pitch - 1
    pixels = Pixels(side, side, mix(square, tokens.mark, 0.35) if last else square)
    if pitch < 5:
        if owner is not None:
            pixels.rectangle(0, 0, side, side, tokens.marbles.of(owner))
        return pixels
    middle = side / 2
    radius = side / 2 * (0.98 if pitch < 6 else 0.92 if pitch < 8 else 0.85)
    if owner is not None:
        ink = tokens.marbles.of(owner)
        ink = mix(ink, square, tokens.fade) if faded else ink
        if pitch > 5:
            pixels.disc(middle, middle + 0.45, radius, mix(square, BLACK, 0.35))
        pixels.disc(middle, middle, radius, ink)
        if pitch > 5:
            spot, alpha = (WHITE, 0.38) if owner else (BLACK, 0.1)
            pixels.disc(middle - radius * 0.34, middle - radius * 0.36, radius * 0.3, spot, alpha)
    elif preview is not None:
        pixels.ring(middle, middle, radius, 0.85, tokens.marbles.of(preview))
    elif target:
        pixels.disc(middle, middle, max(1.0, radius * 0.25), tokens.mark)
    return pixels
