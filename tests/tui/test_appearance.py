"""The appearance chosen for a terminal."""

from __future__ import annotations

from client.tui.render.appearance import Appearance


def test_appearance_follows_the_terminal_unless_chosen() -> None:
    good = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}
    assert Appearance.choose("", False, good) == Appearance("classic", False)
    assert Appearance.choose("", False, {**good, "NO_COLOR": "1"}) == Appearance("mono", False)
    assert Appearance.choose("safe", False, {**good, "NO_COLOR": "1"}) == Appearance("safe", False)
    assert Appearance.choose("", False, {"TERM": "dumb"}) == Appearance("mono", True)
    assert Appearance.choose("", False, {**good, "LC_ALL": "en_US.ISO-8859-1"}) == Appearance("classic", True)
    assert Appearance.choose("", True, good).ascii_only
