"""The list of moves. It scrolls to the current move."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.tui.render.appearance import Appearance
from client.tui.render.bars import title_line
from client.tui.render.strip import tone
from protocol.types import PlayedMove
from runtime.printable import printable


class MoveList(Widget):
    """Shows the moves in columns."""

    class Chosen(Message):
        """A move was clicked."""

        def __init__(self, ply: int) -> None:
            super().__init__()
            self.ply = ply

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self._texts: list[tuple[str, str]] = []  # the number with the side, and the move
        self._at = 0

    def show(self, moves: Sequence[PlayedMove], sides: tuple[str, str], at: int, marks: Sequence[str] = ()) -> None:
        """Show the moves. `marks`: the marks of a reviewed game, one per move."""
        letters = initials(sides)
        texts = [
            (f"{played.ply:>3} {letters[played.side]} ", printable(played.move + (marks[index] if marks else "")))
            for index, played in enumerate(moves)
        ]
        if (texts, at) != (self._texts, self._at):
            self._texts, self._at = texts, at
            self.refresh()

    def _grid(self) -> tuple[int, int]:
        """Return the width of a column and the number of columns."""
        width = max((len(number) + len(move) for number, move in self._texts), default=6) + 3
        return width, max(1, self.size.width // width)

    def _first_line(self) -> int:
        """Return the number of the line at the top, so that the current move is visible."""
        _, across = self._grid()
        lines, height = -(-len(self._texts) // across), self.size.height - 1
        wanted = max(0, self._at - 1) // across - height // 2
        return max(0, min(wanted, lines - height))

    def render_line(self, y: int) -> Strip:
        if y == 0:
            return Strip(title_line("Moves", self.size.width, self.appearance))
        width, across = self._grid()
        first = (self._first_line() + y - 1) * across
        plain, muted = tone(self.appearance, "text"), tone(self.appearance, "muted")
        current = tone(self.appearance, "accent", bold=True) + Style(underline=True)
        segments = []
        for index in range(first, min(first + across, len(self._texts))):
            number, move = self._texts[index]
            segments.append(Segment(number, muted))
            segments.append(Segment(move, current if index + 1 == self._at else plain))
            segments.append(Segment(" " * (width - len(number) - len(move)), plain))
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    def on_click(self, event: events.Click) -> None:
        width, across = self._grid()
        index = (self._first_line() + event.y - 1) * across + min(event.x // width, across - 1)
        if event.y > 0 and index < len(self._texts):
            self.post_message(self.Chosen(index + 1))


def initials(sides: tuple[str, str]) -> tuple[str, str]:
    """Return short names that differ: b and w, p1 and p2."""
    first, second = sides
    if first[:1] != second[:1]:
        return first[:1], second[:1]
    return first[:1] + first[-1:], second[:1] + second[-1:]
