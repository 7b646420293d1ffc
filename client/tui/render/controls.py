"""Remove control characters from everything that is drawn. Texts arrive escaped; this is the second line of defence."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


def without_controls(text: str) -> str:
    """Return the text without unprintable characters, with the same width in cells."""
    return "".join(char if char.isprintable() else "?" * cell_len(char) for char in text)


class ControlFilter(LineFilter):
    """Removes unprintable characters: they could change the terminal or the order of the text around them."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without unprintable characters."""
        return [
            segment
            if segment.text.isprintable()
            else Segment(without_controls(segment.text), segment.style, segment.control)
            for segment in segments
        ]
