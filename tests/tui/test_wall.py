"""The layout of the wall."""

from __future__ import annotations

from client.tui.screens.wall import layout


def test_walls_are_square_if_they_fit() -> None:
    assert layout(4, (120, 37), (24, 7)) == (2, 18)
    assert layout(9, (120, 37), (24, 7)) == (3, 11)
    assert layout(9, (80, 21), (34, 7)) == (2, 7)
    assert layout(60, (120, 37), (24, 7)) == (4, 7)
    assert layout(1, (20, 5), (24, 7)) == (1, 7)
