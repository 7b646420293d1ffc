"""The result of a game in the panel: who won, why, the rating, the length, and what to do next."""

from __future__ import annotations

from textwrap import wrap

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from client.presentation.results import ResultCard
from client.tui.render.appearance import Appearance
from client.tui.render.bars import Keys
from client.tui.render.strip import length, tone
from runtime.printable import printable

PADDING_COLUMNS = 3  # the border and the space beside it
WIDE_COLUMNS = 60  # from this width on, the facts share a line
TONES = {"good": "good", "bad": "bad", "plain": "line"}
TITLE_TONES = TONES | {"plain": "text"}  # the colour of lines is too faint for a text
LABEL_COLUMNS = 8


class ResultView(Widget):
    """A box with the result. It is hidden until the game has ended."""

    def __init__(self, appearance: Appearance, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.appearance = appearance
        self.display = False
        self._card: ResultCard | None = None
        self._keys: tuple[Keys, ...] = ()

    def show(self, card: ResultCard | None, keys: tuple[Keys, ...] = ()) -> None:
        """Show a result, or hide the box."""
        if (card, keys) != (self._card, self._keys):
            self._card, self._keys = card, keys
            self.display = card is not None
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        lines, keys = self._facts(width - 2 * PADDING_COLUMNS), self._key_rows(width - 2 * PADDING_COLUMNS)
        full = len(lines) + len(keys) + 2
        return full if full <= container.height else len(lines) + 2

    def _content(self, width: int, height: int) -> list[list[Segment]]:
        """Return the lines inside the box. The keys are left out if they do not fit: the key bar has them, too."""
        lines, keys = self._facts(width), self._key_rows(width)
        return [*lines, *keys] if len(lines) + len(keys) <= height else lines

    def _facts(self, width: int) -> list[list[Segment]]:
        """Return why the game ended, the rating and the length."""
        card = self._card
        if card is None:
            return []
        text, muted = tone(self.appearance, "text"), tone(self.appearance, "muted")
        lines = [[Segment(part, text)] for part in wrap(printable(card.why), max(10, width))]
        facts = [
            [Segment(f"{label:<{LABEL_COLUMNS}}", muted), Segment(printable(value), text)]
            for label, value in (("Rating", card.rating), ("Length", card.length))
            if value
        ]
        if width >= WIDE_COLUMNS:  # below a wide board there are few lines
            lines.append([part for fact in facts for part in (*fact, Segment("    ", text))])
        else:
            lines += [[], *facts, []]
        return lines

    def _key_rows(self, width: int) -> list[list[Segment]]:
        strong, muted = tone(self.appearance, "text", bold=True), tone(self.appearance, "muted")
        rows: list[list[Segment]] = [[]]
        for key, meaning in self._keys:
            part = [Segment(key, strong), Segment(f" {meaning}   ", muted)]
            if rows[-1] and length(rows[-1]) + length(part) > width + 3:
                rows.append([])
            rows[-1] += part
        return rows

    def render_line(self, y: int) -> Strip:
        width, plain = self.size.width, tone(self.appearance, "text")
        if self._card is None:
            return Strip.blank(width, plain)
        edge = tone(self.appearance, TONES[self._card.tone])
        across, down, corners = ("-", "|", "++++") if self.appearance.ascii_only else ("─", "│", "┌┐└┘")
        if y == 0:
            title = (
                f" {set_cell_size(printable(self._card.title), min(cell_len(printable(self._card.title)), width - 6))} "
            )
            line = [
                Segment(corners[0] + across, edge),
                Segment(title, tone(self.appearance, TITLE_TONES[self._card.tone], bold=True)),
                Segment(across * (width - cell_len(title) - 3) + corners[1], edge),
            ]
        elif y == self.size.height - 1:
            line = [Segment(corners[2] + across * (width - 2) + corners[3], edge)]
        else:
            inner = width - 2 * PADDING_COLUMNS
            content = self._content(inner, self.size.height - 2)
            inside = Strip(content[y - 1] if y - 1 < len(content) else []).adjust_cell_length(inner, plain)
            gap = Segment(" " * (PADDING_COLUMNS - 1), plain)
            line = [Segment(down, edge), gap, *inside, gap, Segment(down, edge)]
        return Strip(line)
