"""A picture of square pixels. A character shows two of them: the upper half block has the colours of both.

Edges are soft: a pixel that a shape covers partly takes the mean of both colours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from client.tui.render.tokens import BLACK, Colour, hex_text, mix

UPPER_HALF = "▀"
HALVES = {(False, False): " ", (True, False): UPPER_HALF, (False, True): "▄", (True, True): "█"}  # upper, lower
SAMPLES = 5  # points per side of a pixel at which a shape is tested
POINTS = tuple((n + 0.5) / SAMPLES for n in range(SAMPLES))


class Box(NamedTuple):
    """A rectangle: its left and top edge, its right and bottom edge."""

    left: float
    top: float
    right: float
    bottom: float


class Pixels:
    """A picture that shapes are drawn on."""

    __slots__ = ("height", "rows", "width")

    def __init__(self, width: int, height: int, ground: Colour) -> None:
        self.width, self.height = width, height
        self.rows = [[ground] * width for _ in range(height)]

    def cover(self, inside: Callable[[float, float], bool], ink: Colour, box: Box, alpha: float = 1.0) -> None:
        """Draw the shape of all points that are `inside`. `box` contains the shape."""
        for y in range(max(0, floor(box.top)), min(self.height, ceil(box.bottom))):
            row = self.rows[y]
            for x in range(max(0, floor(box.left)), min(self.width, ceil(box.right))):
                covered = sum(inside(x + dx, y + dy) for dy in POINTS for dx in POINTS)
                if covered:
                    row[x] = mix(row[x], ink, alpha * covered / (SAMPLES * SAMPLES))

    def disc(self, x: float, y: float, radius: float, ink: Colour, alpha: float = 1.0) -> None:
        """Draw a disc around a point."""
        square = radius * radius
        box = Box(x - radius, y - radius, x + radius, y + radius)
        self.cover(lambda px, py: (px - x) ** 2 + (py - y) ** 2 <= square, ink, box, alpha)

    def ring(self, x: float, y: float, radius: float, width: float, ink: Colour, alpha: float = 1.0) -> None:
        """Draw a ring. `radius` is that of its outer edge."""
        inner, outer = (radius - width) ** 2, radius**2
        box = Box(x - radius, y - radius, x + radius, y + radius)
        self.cover(lambda px, py: inner <= (px - x) ** 2 + (py - y) ** 2 <= outer, ink, box, alpha)

    def rectangle(self, x: int, y: int, width: int, height: int, ink: Colour) -> None:
        """Fill whole pixels."""
        left, right = max(0, x), min(self.width, x + width)
        for row in self.rows[max(0, y) : max(0, y + height)]:
            row[left:right] = [ink] * max(0, right - left)

    def frame(self, x: int, y: int, width: int, height: int, ink: Colour) -> None:
        """Draw the outline of a rectangle, one pixel wide."""
        self.rectangle(x, y, width, 1, ink)
        self.rectangle(x, y + height - 1, width, 1, ink)
        self.rectangle(x, y, 1, height, ink)
        self.rectangle(x + width - 1, y, 1, height, ink)

    def mixed_with(self, other: Pixels, share: float) -> Pixels:
        """Return a picture between this one and another of the same size. `share` is the part of the other one."""
        mixed = Pixels(0, 0, BLACK)
        mixed.width, mixed.height = self.width, self.height
        mixed.rows = [
            [a if a == b else mix(a, b, share) for a, b in zip(own, theirs, strict=True)]
            for own, theirs in zip(self.rows, other.rows, strict=True)
        ]
        return mixed

    def paste(self, other: Pixels, x: int, y: int) -> None:
        """Copy a smaller picture."""
        for row, copied in zip(self.rows[y : y + other.height], other.rows, strict=True):
            row[x : x + other.width] = copied


class Text(NamedTuple):
    """A text on a picture: its first column and its row in characters."""

    x: int
    y: int
    text: str
    ink: Colour
    bold: bool = True


@lru_cache(maxsize=65536)
def style_of(upper: Colour, lower: Colour) -> Style:
    return Style(color=hex_text(upper), bgcolor=hex_text(lower))


@lru_cache(maxsize=4096)
def text_style(ink: Colour, ground: Colour, bold: bool) -> Style:
    return Style(color=hex_text(ink), bgcolor=hex_text(ground), bold=bold)


def to_segments(pixels: Pixels, texts: list[Text]) -> list[list[Segment]]:
    """Return the lines of a picture. The ground of a text is the mean of the two pixels of each character."""
    letters = {(text.x + n, text.y): (letter, text) for text in texts for n, letter in enumerate(text.text)}
    lines = []
    for y in range(pixels.height // 2):
        upper_row, lower_row = pixels.rows[2 * y], pixels.rows[2 * y + 1]
        line: list[Segment] = []
        run, run_style = "", None
        for x, (upper, lower) in enumerate(zip(upper_row, lower_row, strict=True)):
            if (x, y) in letters:
                char, text = letters[x, y]
                style = text_style(text.ink, upper if upper == lower else mix(upper, lower, 0.5), text.bold)
            else:
                char = " " if upper == lower else UPPER_HALF
                style = style_of(upper, lower)
            if style is not run_style:
                if run_style is not None:
                    line.append(Segment(run, run_style))
                run, run_style = "", style
            run += char
        line.append(Segment(run, run_style))
        lines.append(line)
    return lines


def to_characters(pixels: Pixels, style: Style) -> list[list[Segment]]:
    """Return the lines of a picture without colours. Its pixels are black, which is empty, or another colour."""
    lines = []
    for upper, lower in zip(pixels.rows[::2], pixels.rows[1::2], strict=True):
        text = "".join(HALVES[a != BLACK, b != BLACK] for a, b in zip(upper, lower, strict=True))
        lines.append([Segment(text, style)])
    return lines
