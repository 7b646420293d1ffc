"""The lines at the edges of a screen, as widgets."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.tui.render.appearance import Appearance
from client.tui.render.bars import Keys, Status, header_line, key_line, status_line, tab_at, tab_line, title_line
from runtime.printable import printable

STATUS_MARGIN_COLUMNS = 7  # around a status and its chip


class Bar(Widget):
    """A line or two at the edge of a screen."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance


class Header(Bar):
    """The first line: the title, further parts, and a text at the right."""

    def __init__(self, appearance: Appearance, parts: Sequence[str] = ("Parlour",), right: str = "") -> None:
        super().__init__(appearance)
        self._shown = (tuple(parts), right)

    def show(self, parts: Sequence[str], right: str = "") -> None:
        """Show other texts."""
        shown = (tuple(map(printable, parts)), printable(right))
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    @property
    def text(self) -> str:
        parts, right = self._shown
        return " ".join([*parts, right])

    def render_line(self, y: int) -> Strip:
        parts, right = self._shown
        return Strip(header_line(parts, right, self.size.width, self.appearance))


class SectionTitle(Bar):
    """The title of a section, on a thin rule."""

    def __init__(self, appearance: Appearance, title: str) -> None:
        super().__init__(appearance)
        self.title = title

    def render_line(self, y: int) -> Strip:
        return Strip(title_line(self.title, self.size.width, self.appearance))


class Tabs(Bar):
    """Titles side by side, of which one is chosen."""

    class Chosen(Message):
        """A title was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, appearance: Appearance, titles: Sequence[str], chosen: int) -> None:
        super().__init__(appearance)
        self._titles, self._chosen = tuple(titles), chosen

    def show(self, chosen: int) -> None:
        """Choose another title."""
        self._chosen = chosen
        self.refresh()

    def render_line(self, y: int) -> Strip:
        return Strip(tab_line(self._titles, self._chosen, self.size.width, self.appearance))

    def on_click(self, event: events.Click) -> None:
        number = tab_at(self._titles, event.x)
        if number is not None:
            self.post_message(self.Chosen(number))


class Footer(Bar):
    """The last two lines: the status, and the keys that apply now. A long status covers the keys, a question never."""

    def __init__(self, appearance: Appearance, keys: Sequence[Keys] = ()) -> None:
        super().__init__(appearance)
        self._status, self._keys = Status(), tuple(keys)

    def show(self, status: Status, keys: Sequence[Keys] | None = None) -> None:
        """Show another status, and other keys if they are given."""
        status = status._replace(text=printable(status.text), tail=printable(status.tail))
        shown = (status, self._keys if keys is None else tuple(keys))
        if shown != (self._status, self._keys):
            self._status, self._keys = shown
            self.refresh()

    @property
    def status(self) -> Status:
        return self._status

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        room = width - STATUS_MARGIN_COLUMNS - len(self._status.chip)
        max_lines = 1 if self._status.question else 2  # the keys that answer a question are always visible
        lines = wrap(self._status.text, max(10, room), max_lines=max_lines, placeholder=" …") or [""]
        if y < len(lines):
            status = self._status if len(lines) == 1 else self._status._replace(tail="")
            status = status._replace(text=lines[y], chip=status.chip if y == 0 else "")
            return Strip(status_line(status, width, self.appearance))
        return Strip(key_line(self._keys, width, self.appearance))
