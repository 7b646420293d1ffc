"""The help page: the keys of a screen."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll

from client.tui.dialogs.base import Dialog
from client.tui.widgets.plain import PlainText

MIN_KEY_COLUMNS = 9
OTHER_ROWS = 4  # the border, the title and the keys
CLOSE = "esc: close"
SCROLL = f"up down: more lines   {CLOSE}"


class Help(Dialog[None]):
    """Shows a title and a list of keys with their meaning. It scrolls if the terminal has too few rows."""

    BINDINGS = [Binding("escape,q,question_mark,enter,space", "dismiss", show=False)]
    AUTO_FOCUS = "#help"

    def __init__(self, title: str, keys: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._title = title
        rows = list(keys)
        width = max(MIN_KEY_COLUMNS, *(len(key) for key, _ in rows))
        self._lines = [f"{key:<{width}} {meaning}" for key, meaning in rows]

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield PlainText(self._title)
            with VerticalScroll(id="help") as page:
                page.styles.max_height = self.app.size.height - OTHER_ROWS
                yield PlainText(self._lines)
            yield PlainText(CLOSE, id="help-keys", classes="keys")

    def on_mount(self) -> None:
        self.call_after_refresh(self._update_keys)

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#help").styles.max_height = event.size.height - OTHER_ROWS
        self.call_after_refresh(self._update_keys)

    def _update_keys(self) -> None:
        page = self.query_one("#help", VerticalScroll)
        self.query_one("#help-keys", PlainText).update(SCROLL if page.max_scroll_y else CLOSE)

    def on_click(self) -> None:
        self.dismiss()
