"""An application with themes and an ASCII mode, which ignores keys while the terminal is too small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.color import ColorSystem
from textual import events
from textual.app import App
from textual.filter import LineFilter, NoColor
from textual.theme import Theme

from client.tui.render.appearance import THEMES, Appearance
from client.tui.render.ascii import AsciiFilter
from client.tui.render.controls import ControlFilter
from client.tui.render.terminal_colours import PaletteFilter
from client.tui.render.tokens import DARK, TOKENS, TRUE_COLOURS, hex_text
from client.tui.widgets.minimum_size import is_too_small

COLOUR_SYSTEMS = {TRUE_COLOURS: ColorSystem.TRUECOLOR, 256: ColorSystem.EIGHT_BIT, 16: ColorSystem.STANDARD}
QUIT_KEYS = ("ctrl+c", "ctrl+q")  # these always work
TOKEN_NAMES = ("bg", "bar", "line", "text", "muted", "accent", "on_accent", "good", "bad")  # of everything but boards


def textual_themes(appearance: Appearance) -> list[Theme]:
    """Return our themes as Textual knows them, in the colours of the terminal. Every colour is a token."""
    return [textual_theme(replace(appearance, theme=name)) for name in THEMES]


def textual_theme(appearance: Appearance) -> Theme:
    tokens = TOKENS.get(appearance.palette, DARK)
    text = {field: hex_text(getattr(tokens, field)) for field in TOKEN_NAMES}
    return Theme(
        name=theme_name(appearance),
        primary=text["accent"],
        accent=text["accent"],
        warning=text["accent"],
        error=text["bad"],
        success=text["good"],
        foreground=text["text"],
        background=text["bg"],
        surface=text["bg"],
        panel=text["bar"],
        dark=appearance.theme != "light",
        variables={f"parlour-{field.replace('_', '-')}": value for field, value in text.items()}
        | {"text-muted": text["muted"], "block-cursor-background": text["accent"]},
    )


def theme_name(appearance: Appearance) -> str:
    return f"parlour-{appearance.palette}"


class ThemedApp(App[str]):
    """The base class of the application: everything about its appearance."""

    CSS_PATH = str(Path(__file__).with_name("styles.tcss"))

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance
        for theme in textual_themes(appearance):
            self.register_theme(theme)
        self.theme = theme_name(appearance)  # the style sheet needs its variables from the start
        self.console._color_system = COLOUR_SYSTEMS[appearance.colours]  # Rich knows fewer terminals

    def apply_appearance(self) -> None:
        """Redraw everything with the current appearance."""
        self.theme = theme_name(self.appearance)
        self.set_class(self.appearance.ascii_only, "-ascii")
        self.set_class(self.appearance.has_no_colours, "-mono")
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
        if self.appearance.has_no_colours:
            return [*filters, NoColor()]
        few = self.appearance.colours != TRUE_COLOURS
        return [*filters, PaletteFilter(self.appearance.colours)] if few else filters
