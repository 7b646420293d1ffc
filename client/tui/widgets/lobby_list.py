"""The list of the lobby: sections of rows, of which one is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.tui.models.lobby_rooms import LobbyRow, Section
from client.tui.render.appearance import Appearance
from client.tui.render.bars import bar_styles, chosen_mark, title_line
from client.tui.render.strip import cut, length, share, tone
from runtime.printable import printable

SECOND_NAME_COLUMN = 16  # after the first one, if the list is wide
WIDE_COLUMNS = 58  # from this width on, names have ratings and columns of their own
LAST_COLUMN = 10  # the width of the last column
Line = LobbyRow | Section | None


class LobbyList(Widget):
    """Rows under the titles of their sections. Scrolls with the chosen row."""

    class Chosen(Message):
        """Another row was chosen."""

    class Opened(Message):
        """The chosen row was clicked."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(id="rooms")
        self.appearance = appearance
        self._lines: list[Line] = []
        self.rows: list[LobbyRow] = []  # those that can be chosen
        self.cursor = 0
        self._top = 0  # the first line on the screen

    def show(self, sections: Sequence[Section]) -> None:
        """Show other rows. The chosen row stays chosen if it is still there."""
        lines: list[Line] = []
        for section in sections:
            lines += [*([None] if lines else []), section, *section.rows]
        chosen = self.chosen
        if lines == self._lines:
            return
        self._lines = lines
        self.rows = [line for line in lines if isinstance(line, LobbyRow) and (line.room or line.bot)]
        keys = [row.key for row in self.rows]
        if chosen is not None and chosen.key in keys:
            self.cursor = keys.index(chosen.key)
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))
        self._scroll()
        if self.chosen != chosen:
            self.post_message(self.Chosen())

    @property
    def chosen(self) -> LobbyRow | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def move(self, rows: int) -> None:
        """Choose another row. Stops at both ends."""
        target = max(0, min(self.cursor + rows, len(self.rows) - 1))
        if target != self.cursor:
            self.cursor = target
            self._scroll()
            self.post_message(self.Chosen())

    def _scroll(self) -> None:
        """Keep the chosen row and the title above it on the screen."""
        height = max(1, self.size.height)
        line = self._lines.index(self.chosen) if self.chosen is not None else 0
        first = line - 1 if line and isinstance(self._lines[line - 1], Section) else line
        self._top = max(line - height + 1, min(self._top, first), 0)
        self._top = max(0, min(self._top, len(self._lines) - height))
        self.refresh()

    def on_resize(self) -> None:
        self._scroll()

    def on_click(self, event: events.Click) -> None:
        line = self._line(event.y)
        if not isinstance(line, LobbyRow) or line not in self.rows:
            return
        if line == self.chosen:
            self.post_message(self.Opened())
        else:
            self.move(self.rows.index(line) - self.cursor)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.move(-1)

    # -- drawing

    def _line(self, y: int) -> Line:
        number = self._top + y
        return self._lines[number] if number < len(self._lines) else None

    def render_line(self, y: int) -> Strip:
        line, plain = self._line(y), tone(self.appearance, "text")
        if isinstance(line, LobbyRow):
            segments = self._row(line, self._section_of(self._top + y))
        elif isinstance(line, Section):
            segments = [Segment(" ", plain), *self._title(line)]
        else:
            segments = []
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    def _section_of(self, number: int) -> Section:
        while not isinstance(line := self._lines[number], Section):
            number -= 1
        return line

    def _title(self, section: Section) -> list[Segment]:
        """Return the title on a thin rule, with the titles of the columns at its end."""
        first, last = section.columns
        columns = f" {first}  {last:>{LAST_COLUMN - 2}}" if last else ""
        rule = title_line(section.title, self.size.width - 1 - cell_len(columns), self.appearance)
        return [*rule, Segment(columns, tone(self.appearance, "muted"))]

    def _row(self, row: LobbyRow, section: Section) -> list[Segment]:
        is_chosen = row == self.chosen
        muted = bar_styles(self.appearance)[2] if is_chosen else tone(self.appearance, "muted")
        strong = bar_styles(self.appearance)[1] if is_chosen else tone(self.appearance, "text")
        first, last = map(printable, row.right)
        right = f"{first}{' ' * (LAST_COLUMN - cell_len(last))}{last}" if first else last
        line = [Segment(f" {fit(row.left, section.left_columns)}", strong)]
        line += self._names(row, self.size.width - 3 - section.left_columns - cell_len(right) - 2, strong, muted)
        gap = self.size.width - 1 - length(line) - cell_len(right)
        ink = muted if row.tone == "muted" else tone(self.appearance, row.tone)
        line += [Segment(" " * gap, muted), Segment(right, ink)]
        return [chosen_mark(self.appearance) if is_chosen else Segment(" ", muted), *line]

    def _names(self, row: LobbyRow, width: int, strong: Style, muted: Style) -> list[Segment]:
        """Return the names. If space is short, ratings are left out, then both names are cut fairly."""
        wide = self.size.width >= WIDE_COLUMNS or len(row.names) == 1
        parts: list[Segment] = []
        for name, note in row.names if wide else ():
            if parts:
                parts.append(Segment(" " * max(2, SECOND_NAME_COLUMN - length(parts)), muted))
            parts.append(Segment(printable(name), strong))
            parts.append(Segment(f" {printable(note)}" if name and note else printable(note), muted))
        if wide and length(parts) <= width:
            return parts
        if len(row.names) == 1:
            return [*Strip(parts).crop(0, max(0, width - 1)), Segment("…", muted)]
        dash = " - " if self.appearance.ascii_only else " – "
        first, second = share([printable(name) for name, _ in row.names], width - cell_len(dash))
        return [Segment(f"{first}{dash}{second}", strong)]


def fit(text: str, columns: int) -> str:
    """Return a text in exactly `columns` cells. A text that is too long ends with an ellipsis."""
    return set_cell_size(cut(printable(text), columns), columns)
