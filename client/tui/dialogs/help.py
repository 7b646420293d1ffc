"""The help page: the keys of a screen."""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical

from client.tui.dialogs.base import Dialog
from client.tui.widgets.plain import PlainText


class Help(Dialog[None]):
    """Shows a title and a list of keys with their meaning."""

    BINDINGS = [Binding("escape,q,question_mark,enter,space", "dismiss", show=False)]

    def __init__(self, title: str, keys: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._lines = [title, *(f"{key:<9} {meaning}" for key, meaning in keys)]

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield PlainText(self._lines)

    def on_click(self) -> None:
        self.dismiss()
