"""Clocks in digits of 3 x 5 pixels."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from client.tui.render.appearance import Appearance
from client.tui.render.pixels import Pixels, to_characters, to_segments
from client.tui.render.tokens import BLACK, WHITE

DIGITS = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", "  #", "  #"),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
    ":": (" ", "#", " ", "#", " "),
    ".": (" ", " ", " ", " ", "#"),
}
DIGIT_PIXEL_ROWS = 5
MARGIN_COLUMNS = 2  # beside the digits


def big_clock(clock: str, above: int, rows: int, turn: bool, low: bool, appearance: Appearance) -> list[list[Segment]]:
    """Return a clock as lines of characters. `above`: pixels above the digits. The running clock is a filled block."""
    tokens, lines = appearance.tokens, pixel_lines(clock)
    width = len(lines[0]) + 2 * MARGIN_COLUMNS
    ground, ink = (BLACK, WHITE) if tokens is None else (tokens.bg, tokens.on_accent if turn else tokens.muted)
    pixels = Pixels(width, 2 * rows, ground)
    if turn and tokens is not None:
        pixels.rectangle(0, above - 1, width, DIGIT_PIXEL_ROWS + 2, tokens.bad if low else tokens.accent)
    for y, line in enumerate(lines, above):
        for x, char in enumerate(line, MARGIN_COLUMNS):
            if char == "#":
                pixels.rectangle(x, y, 1, 1, ink)
    return to_characters(pixels, Style(bold=turn, dim=not turn)) if tokens is None else to_segments(pixels, [])


def pixel_lines(text: str) -> list[str]:
    """Return the rows of pixels of a text, with a gap between its characters."""
    return [" ".join(DIGITS[char][row] for char in text) for row in range(DIGIT_PIXEL_ROWS)]
