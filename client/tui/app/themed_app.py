"""An application that appearance as somebody likes, or as their terminal can: which colours, which characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor

from client.tui.render.appearance import Appearance
from client.tui.render.ascii import AsciiFilter
from client.tui.widgets.minimum_size import is_too_small

QUIT_KEYS = ("ctrl+c", "ctrl+q")  # at any time


class ThemedApp(App[str]):
    CSS_PATH = str(Path(__file__).with_name("styles.tcss"))

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance

    def apply_appearance(self) -> None:
        """Show everything in the appearance of now."""
        self.theme = "textual-dark"
        self.set_class(self.appearance.ascii_only, "-ascii")
        self.set_class(self.appearance.theme == "mono", "-mono")
        for screen in self.screen_stack:
            screen.query("*").refresh()

    async def on_event(self, event: events.Event) -> None:
        """Keys are for what can be seen."""
        if not (isinstance(event, events.Key) and is_too_small(self.size) and event.key not in QUIT_KEYS):
            await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Whatever a widget would draw: not with these characters, not with these colours."""
        filters = [*super().get_line_filters()]
        filters += [AsciiFilter()] if self.appearance.ascii_only else []
        return [*filters, NoColor()] if self.appearance.theme == "mono" else filters
