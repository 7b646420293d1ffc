"""For terminals that show ASCII alone: whatever else would be drawn becomes what appearance most like it."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

LIKE = {
    **dict.fromkeys("─━═╌▁▔", "-"),
    **dict.fromkeys("│┃║▏▕▎▊▌▐", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝", "+"),
    **dict.fromkeys("█▇▆▅▄▃▂▀■", "#"),
    **dict.fromkeys("▼▾↓", "v"),
    **dict.fromkeys("▲▴↑", "^"),
    "…": ".",
    "●": "*",
    "○": "-",
    "·": ".",
    "•": "*",
    "×": "x",
    "–": "-",
    "—": "-",
    "’": "'",
}
TABLE = str.maketrans(LIKE)


def to_ascii(text: str) -> str:
    """As wide as before, so that everything keeps its place."""
    return "".join(char if char.isascii() else "?" * cell_len(char) for char in text.translate(TABLE))


class AsciiFilter(LineFilter):
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(to_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]
