"""The appearance of the client: its theme and its characters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from client.tui.render.tokens import TOKENS, Tokens

THEMES = ("dark", "light", "safe", "mono")
OLDER_NAMES = {"classic": "dark"}


@dataclass(frozen=True, slots=True)
class Appearance:
    """A theme, whether to draw only ASCII characters, and whether the terminal has enough colours for pixels.

    `motion`: whether moves may be animated.
    """

    theme: str = "dark"
    ascii_only: bool = False
    pixels: bool = True
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
        return cls(theme, ascii_only, has_many_colours(environment), motion)

    @property
    def tokens(self) -> Tokens | None:
        """The colours of boards; None if they are drawn with characters alone."""
        return TOKENS.get(self.theme) if self.pixels and not self.ascii_only else None

    @property
    def animates(self) -> bool:
        """Whether moves are animated: only where boards are drawn with colours."""
        return self.motion and self.tokens is not None

    def next_theme(self) -> Appearance:
        return replace(self, theme=THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)])


def supports_unicode(environment: Mapping[str, str]) -> bool:
    """Return whether the locale uses UTF-8. If no locale is set, assume so."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "UTF-8")
    return "utf" in locale.lower() or locale in ("C", "POSIX")


def has_many_colours(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal has at least 256 colours, which pixels need."""
    if environment.get("COLORTERM", "") in ("truecolor", "24bit"):
        return True
    terminal = environment.get("TERM", "")
    return any(word in terminal for word in ("256color", "direct", "kitty", "alacritty", "ghostty", "wezterm", "foot"))
