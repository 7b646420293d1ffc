"""The line of a player, fitted to the available width."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from client.presentation.plain_watch import board_lines
from client.sdk.room_view import RoomView
from client.tui.widgets.seat_line import seat_text
from tests.tui.offline_app import snapshot_of

FOURS = ("1", "2", "1", "2", "1", "2", "1", "2")  # one point for each side


def seat(width: int, game: str = "mancala", moves: tuple[str, ...] = (), **more: Any) -> str:
    table = RoomView(snapshot_of(game, moves, **more), 0.0)
    return seat_text(table, 0, table.standing(table.ply), width)


def test_side_is_abbreviated_before_the_name_is_cut() -> None:
    names = ("newbie2", "bob")
    assert seat(23, names=names) == "newbie2 (you), player 1"
    assert seat(22, names=names) == "newbie2 (you), p1     "
    assert seat(17, names=names) == "newbie2 (you), p1"
    assert seat(16, names=names) == "newbi… (you), p1"
    assert seat(12, names=("日本語の長い名前", "bob"), seat=1) == "日本語 …, p1"
    assert seat(0, names=names) == ""


@pytest.mark.parametrize("width", range(30))
@pytest.mark.parametrize("name", ["a", "newbie2", "日本語の長い名前です"])
def test_line_has_the_given_width(name: str, width: int) -> None:
    assert cell_len(seat(width, names=(name, "bob"))) == width


def test_points_are_shown_if_the_board_does_not_show_them() -> None:
    assert seat(22, "maxconnect4") == "alice (you), red: 0   "
    assert seat(22, "maxconnect4", FOURS) == "alice (you), red: 1   "
    assert seat(22, "maxconnect4", FOURS[:6]) == "alice (you), red: 0   "
    for game in ("mancala", "conga", "cohcoh"):
        assert ":" not in seat(30, game)


def test_points_are_shown_in_plain_text_too() -> None:
    assert "red 1, green 1" in board_lines(RoomView(snapshot_of("maxconnect4", FOURS), 0.0))
    assert "player" not in " ".join(board_lines(RoomView(snapshot_of("mancala", ("3",)), 0.0)))
