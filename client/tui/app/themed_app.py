"""An application that looks as somebody likes, or as their terminal can: which colours, which characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor

from client.tui.render.appearance import Looks
from client.tui.render.ascii import AsciiOnly
from client.tui.screens.minimum_size import too_small

LEAVING = ("ctrl+c", "ctrl+q")  # at any time


class Dressed(App[str]):
    CSS_PATH = str(Path(__file__).with_name("styles.tcss"))

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks

    def dress(self) -> None:
        """Show everything in the looks of now."""
        self.theme = "textual-dark"
        self.set_class(self.looks.ascii_only, "-ascii")
        self.set_class(self.looks.theme == "mono", "-mono")
        for screen in self.screen_stack:
            screen.query("*").refresh()

    async def on_event(self, event: events.Event) -> None:
        """Keys are for what can be seen."""
        if not (isinstance(event, events.Key) and too_small(self.size) and event.key not in LEAVING):
            await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Whatever a widget would draw: not with these characters, not with these colours."""
        filters = [*super().get_line_filters()]
        filters += [AsciiOnly()] if self.looks.ascii_only else []
        return [*filters, NoColor()] if self.looks.theme == "mono" else filters
