"""The names of the sides match the colours in the terminal."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides, side_names
from engine.registry import GAMES
from tests.tui.offline_app import snapshot_of


def test_stacks_are_blue_and_red_and_other_games_keep_their_names() -> None:
    for name, game in GAMES.items():
        expected = ("blue", "red") if name == "conga" else game.sides
        assert side_names(game) == expected
        assert shown_sides(RoomView(snapshot_of(name), 0.0)) == expected
