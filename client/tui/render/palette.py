"""The styles of a board: a game's own colours, colours that are safe for colour-blind people, or none."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rich.style import Style

from client.tui.render.picture import Ink
from engine.registry import GAMES


class Colours(NamedTuple):
    """The backgrounds of both sides and of empty cells. The text colour follows from them."""

    first: str
    second: str
    empty: str


SAFE_COLOURS = Colours("#0072b2", "#e69f00", "#3a3a3a")  # from the palette of Okabe and Ito


@lru_cache(maxsize=4096)
def style(theme: str, game: str, ink: Ink) -> Style:
    """Return the style of a piece of a picture."""
    if theme == "mono":
        return mono_style(ink)
    if ink.kind in ("line", "label"):
        return Style(dim=ink.kind == "line")
    colours = SAFE_COLOURS if theme == "safe" else Colours(*GAMES[game].colours)
    ground = {"0": colours.first, "1": colours.second}.get(ink.kind, colours.empty)
    if ink.strong or ink.mark == "picked":
        ground = mix(ground, "#ffffff" if is_dark(ground) else "#000000", 0.35)
    elif ink.mark in ("target", "preview", "end"):
        ground = mix(ground, "#ffffff" if is_dark(ground) else "#000000", 0.18)
    return Style(
        color="#ffffff" if is_dark(ground) else "#000000",
        bgcolor=ground,
        bold=ink.kind in ("0", "1") or bool(ink.mark),
        underline=ink.mark == "last" and ink.face,
    )


def mono_style(ink: Ink) -> Style:
    if ink.kind in ("line", "label"):
        return Style(dim=True)
    return Style(
        bold=ink.kind in ("0", "1"),
        reverse=ink.strong or ink.mark == "picked",
        underline=ink.mark in ("last", "preview", "end") and ink.face,
    )


def channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def is_dark(colour: str) -> bool:
    """Return whether white text has more contrast on a colour than black text."""
    return 1.05 / (luminance(colour) + 0.05) > (luminance(colour) + 0.05) / 0.05


def luminance(colour: str) -> float:
    """Return the relative luminance as defined by WCAG 2.2. It can be seen without colour vision."""
    shares = (c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels(colour))
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), shares, strict=True))


def mix(colour: str, other: str, share: float) -> str:
    pairs = zip(channels(colour), channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
