"""An application with themes and an ASCII mode, which ignores keys while the terminal is too small."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor
from textual.theme import Theme

from client.tui.render.appearance import THEMES, Appearance
from client.tui.render.ascii import AsciiFilter
from client.tui.render.controls import ControlFilter
from client.tui.render.tokens import DARK, LIGHT, TOKENS, Tokens, hex_text
from client.tui.widgets.minimum_size import is_too_small

QUIT_KEYS = ("ctrl+c", "ctrl+q")  # these always work
TOKEN_NAMES = ("bg", "bar", "line", "text", "muted", "accent", "on_accent", "good", "bad")  # of everything but boards


def textual_themes() -> list[Theme]:
    """Return our themes as Textual knows them. Every colour is a token."""
    return [textual_theme(name, TOKENS.get(name, DARK)) for name in THEMES]


def textual_theme(name: str, tokens: Tokens) -> Theme:
    text = {field: hex_text(getattr(tokens, field)) for field in TOKEN_NAMES}
    return Theme(
        name=f"parlour-{name}",
        primary=text["accent"],
        accent=text["accent"],
        warning=text["accent"],
        error=text["bad"],
        success=text["good"],
        foreground=text["text"],
        background=text["bg"],
        surface=text["bg"],
        panel=text["bar"],
        dark=tokens is not LIGHT,
        variables={f"parlour-{field.replace('_', '-')}": value for field, value in text.items()}
        | {"text-muted": text["muted"], "block-cursor-background": text["accent"]},
    )


class ThemedApp(App[str]):
    """The base class of the application: everything about its appearance."""

    CSS_PATH = str(Path(__file__).with_name("styles.tcss"))

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance
        for theme in textual_themes():
            self.register_theme(theme)
        self.theme = f"parlour-{appearance.theme}"  # the style sheet needs its variables from the start

    def apply_appearance(self) -> None:
        """Redraw everything with the current appearance."""
        self.theme = f"parlour-{self.appearance.theme}"
        self.set_class(self.appearance.ascii_only, "-ascii")
        self.set_class(self.appearance.theme == "mono", "-mono")
        for screen in self.screen_stack:
            screen.query("*").refresh()

    async def on_event(self, event: events.Event) -> None:
        """Ignore keys while the terminal is too small to show what they would do."""
        if not (isinstance(event, events.Key) and is_too_small(self.size) and event.key not in QUIT_KEYS):
            await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return filters that remove control characters, non-ASCII characters and colours from what widgets draw."""
        filters = [*super().get_line_filters(), ControlFilter()]
        filters += [AsciiFilter()] if self.appearance.ascii_only else []
        return [*filters, NoColor()] if self.appearance.theme == "mono" else filters
