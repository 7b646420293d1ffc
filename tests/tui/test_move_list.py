"""The list of moves."""

from __future__ import annotations

from client.tui.widgets.move_list import initials


def test_initials_of_the_sides_differ() -> None:
    assert initials(("black", "white")) == ("b", "w")
    assert initials(("player 1", "player 2")) == ("p1", "p2")
