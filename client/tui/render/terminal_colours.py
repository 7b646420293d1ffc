"""Terminals with 256 or with 16 colours: replace each colour by the one of the terminal that looks most like it.

The usual rounding of each channel turns brown into olive, and the faded pieces of both sides into the same grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import dist

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from client.tui.render.tokens import BASIC_COLOURS, Colour

HUE_WEIGHT = 1.6  # how much more a hue counts than lightness: otherwise dark colours become grey
LEVELS = (0, 95, 135, 175, 215, 255)  # of a channel in the colour cube
CUBE = [(red, green, blue) for red in LEVELS for green in LEVELS for blue in LEVELS]
GREYS = [(level, level, level) for level in range(8, 248, 10)]
PALETTES: Mapping[int, Mapping[int, Colour]] = {  # number of colours -> number of a colour -> the colour
    256: dict(enumerate([*CUBE, *GREYS], 16)),  # users may change the first 16
    16: dict(enumerate(BASIC_COLOURS)),
}


@lru_cache(maxsize=65536)
def perceived(value: Colour) -> tuple[float, float, float]:
    """Return the lightness of a colour and its two coordinates of hue, in the colour space Oklab."""
    red, green, blue = (c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in value)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def distance(first: Colour, second: Colour) -> float:
    """Return how different two colours look: 1 for black and white, about 0.02 if it can just be seen."""
    return dist(perceived(first), perceived(second))


@lru_cache(maxsize=65536)
def nearest(value: Colour, colours: int) -> int:
    """Return the number of the colour in a palette that looks most like a colour. Its hue counts more than usual."""
    palette, point = PALETTES[colours], weighted(value)
    return min(palette, key=lambda number: dist(point, weighted(palette[number])))


@lru_cache(maxsize=65536)
def weighted(value: Colour) -> tuple[float, float, float]:
    lightness, first, second = perceived(value)
    return lightness, HUE_WEIGHT * first, HUE_WEIGHT * second


@lru_cache(maxsize=65536)
def in_palette(style: Style, colours: int) -> Style:
    """Return a style with colours of a palette."""
    ink, ground = (
        None if value is None or value.triplet is None else RichColor.from_ansi(nearest(tuple(value.triplet), colours))
        for value in (style.color, style.bgcolor)
    )
    return style + Style(color=ink, bgcolor=ground)


class PaletteFilter(LineFilter):
    """Draws everything with the colours of a palette."""

    def __init__(self, colours: int) -> None:
        super().__init__()
        self.colours = colours

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with colours of the palette."""
        return [
            segment
            if segment.style is None
            else Segment(segment.text, in_palette(segment.style, self.colours), segment.control)
            for segment in segments
        ]
