"""The names of the sides match the colours in the terminal."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.sdk.sides import legend, shown_sides, side_names
from engine.registry import GAMES
from tests.tui.offline_app import snapshot_of


def test_stacks_are_blue_and_red_and_other_games_keep_their_names() -> None:
    for name, game in GAMES.items():
        expected = ("blue", "red") if name == "conga" else game.sides
        assert side_names(game) == expected
        assert shown_sides(RoomView(snapshot_of(name), 0.0)) == expected


def test_legend_explains_letters_that_do_not_begin_the_names() -> None:
    assert legend(("b", "w"), ("blue", "red")) == "b is blue, w is red"
    assert legend(("w", "b"), ("white", "black")) == ""
