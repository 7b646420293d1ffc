"""An application with themes and an ASCII mode, which ignores keys while the terminal is too small."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor

from client.tui.render.appearance import Appearance
from client.tui.render.ascii import AsciiFilter
from client.tui.widgets.minimum_size import is_too_small

QUIT_KEYS = ("ctrl+c", "ctrl+q")  # these always work


class ThemedApp(App[str]):
    """The base class of the application: everything about its appearance."""

    CSS_PATH = str(Path(__file__).with_name("styles.tcss"))

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance

    def apply_appearance(self) -> None:
        """Redraw everything with the current appearance."""
        self.theme = "textual-dark"
        self.set_class(self.appearance.ascii_only, "-ascii")
        self.set_class(self.appearance.theme == "mono", "-mono")
        for screen in self.screen_stack:
            screen.query("*").refresh()

    async def on_event(self, event: events.Event) -> None:
        """Ignore keys while the terminal is too small to show what they would do."""
        if not (isinstance(event, events.Key) and is_too_small(self.size) and event.key not in QUIT_KEYS):
            await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return filters that remove non-ASCII characters and colours from everything that widgets draw."""
        filters = [*super().get_line_filters()]
        filters += [AsciiFilter()] if self.appearance.ascii_only else []
        return [*filters, NoColor()] if self.appearance.theme == "mono" else filters
