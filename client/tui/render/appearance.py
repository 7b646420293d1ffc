"""The appearance of the client: its theme and its characters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from client.tui.render.tokens import TOKENS, TRUE_COLOURS, Tokens

THEMES = ("dark", "light", "safe", "mono")
OLDER_NAMES = {"classic": "dark"}
PIXEL_COLOURS = 256  # pixels need this many colours
FULL_COLOUR = ("direct", "kitty", "alacritty", "ghostty", "wezterm", "foot")  # terminals with all colours


@dataclass(frozen=True, slots=True)
class Appearance:
    """A theme, whether to draw only ASCII characters, and the number of colours of the terminal.

    `motion`: whether moves may be animated.
    """

    theme: str = "dark"
    ascii_only: bool = False
    colours: int = TRUE_COLOURS
    motion: bool = True

    @classmethod
    def choose(
        cls, theme: str, ascii_only: bool, environment: Mapping[str, str] = os.environ, *, motion: bool = True
    ) -> Appearance:
        """Return the requested appearance. What was not requested depends on the terminal and the environment."""
        terminal = environment.get("TERM", "dumb")
        simple = terminal in ("dumb", "vt52", "unknown")
        no_color = "NO_COLOR" in environment and environment["NO_COLOR"] != ""
        theme = OLDER_NAMES.get(theme, theme) or ("mono" if no_color or simple else "dark")
        ascii_only = ascii_only or simple or not supports_unicode(environment)
        motion = motion and not environment.get("PARLOUR_NO_MOTION", "")
        return cls(theme, ascii_only, number_of_colours(environment), motion)

    @property
    def palette(self) -> str:
        """The name of the tokens: the theme and, if there are few, the number of colours."""
        return self.theme if self.colours == TRUE_COLOURS else f"{self.theme}-{self.colours}"

    @property
    def tokens(self) -> Tokens | None:
        """The colours of everything; None if there are none."""
        return None if self.has_no_colours else TOKENS.get(self.palette)

    @property
    def has_no_colours(self) -> bool:
        """Whether everything is drawn without colours: in `mono`, and in ASCII, which is for the simplest terminals."""
        return self.ascii_only or self.theme == "mono"

    @property
    def pixels(self) -> bool:
        """Whether boards are drawn with pixels, rather than with characters."""
        return self.tokens is not None and self.colours >= PIXEL_COLOURS

    @property
    def animates(self) -> bool:
        """Whether moves are animated: only where boards are drawn with pixels."""
        return self.motion and self.pixels

    def next_theme(self) -> Appearance:
        return replace(self, theme=THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)])


def supports_unicode(environment: Mapping[str, str]) -> bool:
    """Return whether the locale uses UTF-8. If no locale is set, assume so."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "UTF-8")
    return "utf" in locale.lower() or locale in ("C", "POSIX")


def number_of_colours(environment: Mapping[str, str]) -> int:
    """Return the number of colours of the terminal."""
    terminal = environment.get("TERM", "")
    if environment.get("COLORTERM", "") in ("truecolor", "24bit") or any(name in terminal for name in FULL_COLOUR):
        return TRUE_COLOURS
    return 256 if "256color" in terminal else 16
