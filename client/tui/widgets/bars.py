"""The lines at the edges of a screen, as widgets."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from client.tui.render.appearance import Appearance
from client.tui.render.bars import Keys, Status, header_line, key_line, status_line, tab_at, tab_line, title_line
from runtime.printable import printable


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
    """The last two lines: the status, and the keys that apply now."""

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
        if y == 0:
            return Strip(status_line(self._status, width, self.appearance))
        return Strip(key_line(self._keys, width, self.appearance))
