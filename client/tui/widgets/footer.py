"""The last two lines of a screen: a message, and the most important keys."""

from __future__ import annotations

from textwrap import wrap

from textual.app import ComposeResult
from textual.containers import Vertical

from client.tui.widgets.plain import PlainText
from runtime.printable import printable


class Footer(Vertical):
    """Shows a message above the keys. A message of two lines covers the keys."""

    def __init__(self, keys: str = "") -> None:
        super().__init__()
        self._text, self._keys = "", keys
        self._lines = PlainText(id="prompt"), PlainText(id="keys")

    def compose(self) -> ComposeResult:
        yield from self._lines

    def on_resize(self) -> None:
        self._update()

    def show(self, text: str, keys: str | None = None) -> None:
        """Show a message, and other keys if they are given."""
        shown = (text, self._keys if keys is None else keys)
        if shown != (self._text, self._keys):
            self._text, self._keys = shown
            self._update()

    def _update(self) -> None:
        lines = wrap(printable(self._text), max(1, self.size.width - 2), max_lines=2, placeholder=" …")
        self._lines[0].update(lines)
        self._lines[1].update(self._keys)
