"""The appearance of the client: its theme and its characters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

THEMES = ("classic", "safe", "mono")


@dataclass(frozen=True, slots=True)
class Appearance:
    """A theme, and whether to draw only ASCII characters."""

    theme: str = "classic"
    ascii_only: bool = False

    @classmethod
    def choose(cls, theme: str, ascii_only: bool, environment: Mapping[str, str] = os.environ) -> Appearance:
        """Return the requested appearance. What was not requested depends on the terminal and `NO_COLOR`."""
        simple = environment.get("TERM", "dumb") in ("dumb", "vt52", "unknown")
        no_color = "NO_COLOR" in environment and environment["NO_COLOR"] != ""
        theme = theme or ("mono" if no_color or simple else "classic")
        return cls(theme, ascii_only or simple or not supports_unicode(environment))

    def next_theme(self) -> Appearance:
        return Appearance(THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)], self.ascii_only)

    def presence_mark(self, online: bool) -> str:
        return ("*" if online else "-") if self.ascii_only else ("●" if online else "○")


def supports_unicode(environment: Mapping[str, str]) -> bool:
    """Return whether the locale uses UTF-8. If no locale is set, assume so."""
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "UTF-8")
    return "utf" in locale.lower() or locale in ("C", "POSIX")
