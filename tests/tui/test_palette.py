"""The colours of boards: readable, and safe for colour-blind people."""

from __future__ import annotations

import pytest
from rich.color import Color

from client.tui.render.palette import luminance, style
from client.tui.render.picture import Ink, Marks, Picture, Size
from engine.registry import GAMES, create


def test_only_the_content_of_a_cell_is_underlined() -> None:
    board = create("conga").draw(create("conga").start())
    lines = Picture(board, Size(7, 3, True)).lines(Marks(last=frozenset({"d1"})))
    for theme in ("classic", "mono"):
        under = [span.text for line in lines for span in line if style(theme, "conga", span.ink).underline]
        assert under == ["w10"]


def test_conga_is_blue_and_red_on_yellow() -> None:
    blue, red, yellow = (ground("conga", kind) for kind in ("0", "1", "empty"))
    assert blue[2] > max(blue[0], blue[1])
    assert red[0] > max(red[1], red[2])
    assert min(yellow[0], yellow[1]) > yellow[2]


def ground(game: str, kind: str) -> tuple[int, int, int]:
    colour = style("classic", game, Ink(kind)).bgcolor
    assert colour is not None
    red, green, blue = colour.get_truecolor()
    return red, green, blue


def contrast(first: Color | None, second: Color | None) -> float:
    assert first is not None
    assert second is not None
    dark, bright = sorted((luminance(first.name), luminance(second.name)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("game", GAMES)
def test_safe_colours_differ_in_luminance(game: str) -> None:
    first, second, empty = (style("safe", game, Ink(kind)).bgcolor for kind in ("0", "1", "empty"))
    assert min(contrast(first, second), contrast(first, empty), contrast(second, empty)) > 2


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("theme", ["classic", "safe"])
@pytest.mark.parametrize(
    "ink", [Ink(k, m, s) for k in ("0", "1", "empty") for m in ("", "picked", "target") for s in (False, True)]
)
def test_text_on_a_cell_has_enough_contrast(game: str, theme: str, ink: Ink) -> None:
    drawn = style(theme, game, ink)
    assert contrast(drawn.color, drawn.bgcolor) > 4.5


@pytest.mark.parametrize("kind", ["0", "1", "empty", "line", "label"])
@pytest.mark.parametrize("mark", ["", "picked", "target", "preview", "end", "last"])
def test_mono_has_no_colours(kind: str, mark: str) -> None:
    ink = style("mono", "conga", Ink(kind, mark))
    assert ink.color is None
    assert ink.bgcolor is None
