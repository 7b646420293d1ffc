"""ASCII mode: replace all other characters by similar ones of the same width."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

SIMILAR = {
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
    "−": "-",
    "→": ">",
    "←": "<",
    "—": "-",
    "’": "'",
}
TRANSLATION = str.maketrans(SIMILAR)


def to_ascii(text: str) -> str:
    """Return the text in ASCII, with the same width in cells."""
    return "".join(char if char.isascii() else "?" * cell_len(char) for char in text.translate(TRANSLATION))


class AsciiFilter(LineFilter):
    """Converts everything that widgets draw to ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(to_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]
