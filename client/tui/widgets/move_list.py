"""The list of moves. It scrolls to the current move."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from protocol.types import PlayedMove
from runtime.printable import printable


class MoveList(Widget):
    """Shows the moves in columns."""

    class Chosen(Message):
        """A move was clicked."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._texts: list[str] = []
        self._at = 0

    def show(self, moves: Sequence[PlayedMove], sides: tuple[str, str], at: int) -> None:
        letters = initials(sides)
        texts = [printable(f"{played.ply:>3} {letters[played.side]} {played.move}") for played in moves]
        if (texts, at) != (self._texts, self._at):
            self._texts, self._at = texts, at
            self.refresh()

    def _grid(self) -> tuple[int, int]:
        """Return the width of a column and the number of columns."""
        width = max(map(len, self._texts), default=6) + 2
        return width, max(1, self.size.width // width)

    def _first_line(self) -> int:
        """Return the number of the line at the top, so that the current move is visible."""
        _, across = self._grid()
        lines = -(-len(self._texts) // across)
        choose_opening = max(0, self._at - 1) // across - self.size.height // 2
        return max(0, min(choose_opening, lines - self.size.height))

    def render_line(self, y: int) -> Strip:
        width, across = self._grid()
        first = (self._first_line() + y) * across
        ground = self.rich_style
        segments = []
        for index in range(first, min(first + across, len(self._texts))):
            here = index + 1 == self._at
            text = f"{self._texts[index]}{'<' if here else ' '}"
            segments.append(Segment(f"{text:<{width}}", ground + Style(bold=here, reverse=here)))
        return Strip(segments).adjust_cell_length(self.size.width, ground)

    def on_click(self, event: events.Click) -> None:
        width, across = self._grid()
        index = (self._first_line() + event.y) * across + min(event.x // width, across - 1)
        if index < len(self._texts):
            self.post_message(self.Chosen(index + 1))


def initials(sides: tuple[str, str]) -> tuple[str, str]:
    """Return short names that differ: b and w, p1 and p2."""
    first, second = sides
    if first[:1] != second[:1]:
        return first[:1], second[:1]
    return first[:1] + first[-1:], second[:1] + second[-1:]
