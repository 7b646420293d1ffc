"""Boards of pits drawn with pixels: bowls with beads, or small pits with numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from client.tui.render.marks import Marks, signed
from client.tui.render.pixel_boards import PixelBoard
from client.tui.render.pixels import Box, Pixels, Text
from client.tui.render.tokens import TOKENS, Colour, Tokens, mix
from engine.board import Board, Cell

PIT_SIZES = {14: 7, 11: 5, 9: 4, 7: 3}  # width of a pit with its gap in characters -> height of its bowl in characters
DIE = ("", "4", "26", "246", "0268", "02468", "035268", "0352684", "01235678", "012345678")  # places of up to 9 beads
BEAD_DEPTH = 0.9  # beads are inside a bowl, away from its edge


class PitBoard(PixelBoard):
    """Two rows of pits with seeds. A cell alone in its column is a store, as high as both rows."""

    PITCHES = tuple(PIT_SIZES)

    @staticmethod
    def _has_ranks(board: Board) -> bool:
        return False

    @property
    def bowl(self) -> int:
        """The height of a bowl in characters."""
        return PIT_SIZES[self.pitch]

    @property
    def size(self) -> tuple[int, int]:
        return len(self.board.files) * self.pitch + 2, 2 * (2 * self.bowl + 5)

    def column_centre(self, column: int) -> int:
        return int(1 + self.pitch * (column + 0.5))

    def cell_at(self, x: int, y: int) -> Cell | None:
        column = (x - 1) // self.pitch
        if not (0 <= column < len(self.board.files) and 0 <= y < self.size[1] // 2):
            return None
        upper, lower = (self.board.rows[row][column] for row in (0, 1))
        return (upper or lower) if 4 * y < self.size[1] else (lower or upper)

    def paint(self, marks: Marks) -> tuple[Pixels, list[Text]]:
        width, height = self.size
        tokens, bowl = self.tokens, self.bowl
        pixels = Pixels(width, height, tokens.bg)
        pixels.rectangle(0, 1, width, height - 2, tokens.wood)
        for corner in ((0, 1), (0, height - 2), (width - 1, 1), (width - 1, height - 2)):
            pixels.rectangle(*corner, 1, 1, tokens.bg)
        texts: list[Text] = []
        for row, cells in enumerate(self.board.rows):
            for column, cell in enumerate(cells):
                if cell is None:
                    continue
                left = 1 + self.pitch * column
                if self.board.rows[1 - row][column] is None:
                    pixels.paste(store_tile(self.theme, self.pitch, cell.count, cell.name in marks.decisive), left, 2)
                else:
                    pixels.paste(self._pit(cell, marks), left, 3 if row == 0 else height - 5 - 2 * bowl)
                texts += self._numbers(cell, marks, left + self.pitch // 2, 1 if row == 0 else height // 2 - 2)
        return pixels, texts

    def _pit(self, cell: Cell, marks: Marks) -> Pixels:
        picked = cell.name in marks.picked or cell.name == marks.cursor
        last = cell.name in marks.last and not marks.decisive and not picked
        return pit_tile(self.theme, self.pitch, cell.count, picked=picked, last=last, leaves=marks.change(cell) < 0)

    def _numbers(self, cell: Cell, marks: Marks, x: int, row: int) -> list[Text]:
        """Return the count of a cell, and beside it what a preview would change."""
        tokens, text = self.tokens, str(cell.count)
        ink = tokens.seed_number if cell.count else mix(tokens.seed_number, tokens.wood, 0.45)
        texts = [Text(x - (len(text) - 1), row, text, ink, bold=cell.count > 0)]
        change = marks.change(cell)
        if change:
            texts.append(Text(x + 2, row, signed(change), tokens.mark))
        return texts


@lru_cache(maxsize=1024)
def pit_tile(
    theme: str, pitch: int, count: int, *, picked: bool = False, last: bool = False, leaves: bool = False
) -> Pixels:
    """Return a pit with its beads. `leaves`: a preview takes them away. Do not change the result."""
    tokens, bowl = TOKENS[theme], PIT_SIZES[pitch]
    pixels = Pixels(pitch, 2 * bowl + 2, tokens.wood)
    x, y = pitch / 2, float(bowl + 1)
    depth = bowl_depth(bowl, x, y)
    box = Box(0, 0, pitch, 2 * bowl + 2)
    pixels.cover(lambda px, py: depth(px, py) <= 1, tokens.bowl, box)
    if picked:
        pixels.cover(lambda px, py: 0.6 <= depth(px, py) <= 1.15, tokens.mark, box)
    elif last:
        pixels.cover(lambda px, py: 0.5 <= depth(px, py) <= 1, mix(tokens.bowl_mark, tokens.wood, 0.35), box)
    draw_beads(pixels, pit_places(bowl, x, y, count), tokens, tokens.fade if leaves else 0.0)
    return pixels


@lru_cache(maxsize=256)
def store_tile(theme: str, pitch: int, count: int, decisive: bool) -> Pixels:
    """Return a store with its beads. Do not change the result."""
    tokens, rows = TOKENS[theme], 2 * PIT_SIZES[pitch] + 5
    pixels = Pixels(pitch, 2 * rows - 4, tokens.wood)
    x, y, width, height = pitch / 2, float(rows - 2), pitch / 2 - 0.9, rows - 4.2
    depth = rounded(x, y, width, height, 6)
    box = Box(0, 0, pitch, 2 * rows - 4)
    pixels.cover(lambda px, py: depth(px, py) <= 1, tokens.bowl, box)
    if decisive:
        pixels.cover(lambda px, py: 0.6 <= depth(px, py) <= 1.1, tokens.mark, box)
    draw_beads(pixels, store_places(PIT_SIZES[pitch], x, y, width, height, count), tokens, 0.0)
    return pixels


def bowl_depth(bowl: int, x: float, y: float) -> Callable[[float, float], float]:
    """Return a function that is 1 on the edge of a bowl around a point, and less inside."""
    return rounded(x, y, min(bowl + 0.4, x - 0.7), bowl - 0.2, 3.4)


def pit_places(bowl: int, x: float, y: float, count: int) -> list[tuple[int, int, int]]:
    """Return place and size of each bead in a pit: up to nine as on a die, more in closer rows."""
    if count < len(DIE):
        step, size = (4, 3) if bowl > 6 else (2, 1) if bowl < 5 else (3, 2)
        left, top = round(x - size / 2), round(y - size / 2)
        places = [(int(place) % 3 - 1, int(place) // 3 - 1) for place in DIE[count]]
        return [(left + column * step, top + row * step, size) for column, row in places]
    grids = [
        [
            (left, top)
            for left in range(first_left, 2 * int(x), 2)
            for top in range(first_top, 2 * int(y), 2)
            if bowl_depth(bowl, x, y)(left + 0.5, top + 0.5) <= BEAD_DEPTH
        ]
        for first_left in (0, 1)
        for first_top in (0, 1)
    ]
    largest = max(grids, key=len)
    nearest = sorted(largest, key=lambda at: (at[0] + 0.5 - x) ** 2 + (at[1] + 0.5 - y) ** 2)
    return [(left, top, 1) for left, top in nearest[:count]]


def store_places(bowl: int, x: float, y: float, width: float, height: float, count: int) -> list[tuple[int, int, int]]:
    """Return place and size of each bead in a store, which fills from below."""
    for step, size in ((4, 3), (3, 2), (2, 1)):
        across = max(1, int((2 * width + step - size - 1.3) / step))
        up = int((2 * height - 3) / step)
        if (bowl > 6 or step < 4) and (count <= across * up or step == 2):
            break
    left, bottom = round(x - (across * step - (step - size)) / 2), int(y + height - size - 2)
    shown = min(count, across * up)
    return [(left + n % across * step, bottom - n // across * step, size) for n in range(shown)]


def draw_beads(pixels: Pixels, places: list[tuple[int, int, int]], tokens: Tokens, fade: float) -> None:
    for n, (x, y, size) in enumerate(places):
        ink = mix(tokens.beads[n % 3], tokens.bowl, fade)
        if size == 3:
            pixels.disc(x + 1.5, y + 1.5, 1.6, ink)
        else:
            pixels.rectangle(x, y, size, size, ink)


class SmallPitBoard(PixelBoard):
    """Two rows of pits without beads: the number of seeds is in the pit."""

    PITCHES = (5, 4)  # the width of a pit with its gap in characters
    TINY_PITCHES = (3,)

    @staticmethod
    def _has_ranks(board: Board) -> bool:
        return False

    @property
    def bowl(self) -> int:
        """The height of a pit in characters."""
        return max(1, self.pitch - 3)

    @property
    def size(self) -> tuple[int, int]:
        return len(self.board.files) * self.pitch + 1, 2 * (2 * self.bowl + 3)

    def column_centre(self, column: int) -> int:
        return column * self.pitch + self.pitch // 2

    def cell_at(self, x: int, y: int) -> Cell | None:
        column, height = x // self.pitch, self.size[1] // 2
        if not (0 <= column < len(self.board.files) and 0 <= y < height):
            return None
        upper, lower = (self.board.rows[row][column] for row in (0, 1))
        return (upper or lower) if y <= height // 2 else (lower or upper)

    def paint(self, marks: Marks) -> tuple[Pixels, list[Text]]:
        width, height = self.size
        pixels = Pixels(width, height, self.tokens.wood)
        texts: list[Text] = []
        for row, cells in enumerate(self.board.rows):
            for column, cell in enumerate(cells):
                if cell is None:
                    continue
                is_store = self.board.rows[1 - row][column] is None
                rows = 2 * self.bowl + 1 if is_store else self.bowl
                top = 1 if is_store or row == 0 else self.bowl + 2
                pixels.rectangle(column * self.pitch + 1, 2 * top, self.pitch - 1, 2 * rows, self._ground(cell, marks))
                texts.append(self._number(cell, marks, column, top + rows // 2 if is_store else top))
        return pixels, texts

    def _ground(self, cell: Cell, marks: Marks) -> Colour:
        if cell.name == marks.cursor or cell.name in marks.picked or cell.name in marks.decisive:
            return self.tokens.bowl_mark
        return self.tokens.bowl_last if cell.name in marks.last and not marks.decisive else self.tokens.bowl

    def _number(self, cell: Cell, marks: Marks, column: int, row: int) -> Text:
        """Return the count of a cell, and what a preview would change."""
        change, ground, tokens = marks.change(cell), self._ground(cell, marks), self.tokens
        text = f"{cell.count}{signed(change) if change else ''}"
        bright, brightest = tokens.beads[0], tokens.beads[2]
        ink = {tokens.bowl_mark: tokens.bowl, tokens.bowl_last: brightest}.get(ground, bright)
        ink = ink if cell.count else mix(ink, ground, 0.6)
        return Text(self.column_centre(column) - (len(text) - 1) // 2, row, text, ink)


def rounded(x: float, y: float, width: float, height: float, power: float) -> Callable[[float, float], float]:
    """Return a function that is 1 on the edge of a rounded rectangle around a point, and less inside."""
    return lambda px, py: float(abs((px - x) / width) ** power + abs((py - y) / height) ** power)
