"""How everything is to look: which colours, which characters."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

THEMES = ("classic", "safe", "mono")


@dataclass(frozen=True, slots=True)
class Appearance:
    theme: str = "classic"
    ascii_only: bool = False

    @classmethod
    def choose(cls, theme: str, ascii_only: bool, environment: Mapping[str, str] = os.environ) -> Appearance:
        """What was asked for, else what the terminal can show."""
        poor = environment.get("TERM", "dumb") in ("dumb", "vt52", "unknown")
        plain = "NO_COLOR" in environment and environment["NO_COLOR"] != ""
        return cls(theme or ("mono" if plain or poor else "classic"), ascii_only or poor or not unicode(environment))

    def next_theme(self) -> Appearance:
        return Appearance(THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)], self.ascii_only)

    def online(self, here: bool) -> str:
        return ("*" if here else "-") if self.ascii_only else ("●" if here else "○")


def unicode(environment: Mapping[str, str]) -> bool:
    """Whether the locale says so; without any word about it, terminals of today can."""
    said = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "UTF-8")
    return "utf" in said.lower() or said in ("C", "POSIX")
