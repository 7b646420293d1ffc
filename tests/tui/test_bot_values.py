"""The values that bots gave to positions."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.bot_values import fill_gaps, latest, values
from tests.tui.offline_app import snapshot_of


def test_values_are_for_the_first_side() -> None:
    notes = {1: "depth 3 value +2", 2: "value +1.5", 3: "hello"}
    table = RoomView(snapshot_of("conga", ("a4b4", "d1c2", "d4c3"), notes=notes), 0.0)
    assert values(table.moves) == [2.0, -1.5, None]


def test_gaps_keep_the_value_before_them() -> None:
    assert fill_gaps([None, 4.0, None, -4.0, None]) == [None, 4.0, 4.0, -4.0, -4.0]
    assert (latest([1.0, None]), latest([None])) == (1.0, None)
