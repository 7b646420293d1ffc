"""The appearance chosen for a terminal."""

from __future__ import annotations

import pytest

from client.tui.render.appearance import THEMES, Appearance
from client.tui.render.tokens import TRUE_COLOURS

GOOD = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "en_US.UTF-8"}


def test_appearance_follows_the_terminal_unless_chosen() -> None:
    assert Appearance.choose("", False, GOOD) == Appearance("dark", False)
    assert Appearance.choose("", False, {**GOOD, "NO_COLOR": "1"}) == Appearance("mono", False)
    assert Appearance.choose("safe", False, {**GOOD, "NO_COLOR": "1"}) == Appearance("safe", False)
    assert Appearance.choose("", False, {"TERM": "dumb"}) == Appearance("mono", True, colours=16)
    assert Appearance.choose("", False, {**GOOD, "LC_ALL": "en_US.ISO-8859-1"}) == Appearance("dark", True)
    assert Appearance.choose("", True, GOOD).ascii_only


def test_motion_can_be_turned_off_and_needs_colours() -> None:
    assert Appearance.choose("", False, GOOD).animates
    assert not Appearance.choose("", False, GOOD, motion=False).animates
    assert not Appearance.choose("", False, {**GOOD, "PARLOUR_NO_MOTION": "1"}).animates
    assert not Appearance.choose("mono", False, GOOD).animates
    assert not Appearance.choose("", True, GOOD).animates


def test_older_name_of_a_theme_still_works() -> None:
    assert Appearance.choose("classic", False, GOOD).theme == "dark"


@pytest.mark.parametrize(
    ("environment", "colours"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, TRUE_COLOURS),
        ({"TERM": "alacritty"}, TRUE_COLOURS),
        ({"TERM": "xterm-256color"}, 256),
        ({"TERM": "xterm"}, 16),
        ({"TERM": "linux"}, 16),
    ],
)
def test_number_of_colours_follows_the_terminal(environment: dict[str, str], colours: int) -> None:
    shown = Appearance.choose("", False, environment)
    assert shown.colours == colours
    assert shown.pixels == (colours >= 256)
    assert shown.tokens is not None


def test_next_theme_goes_round() -> None:
    shown, seen = Appearance(), []
    for _ in THEMES:
        seen.append(shown.theme)
        shown = shown.next_theme()
    assert (tuple(seen), shown.theme) == (THEMES, "dark")
