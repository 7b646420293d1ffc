"""The values of bots and their graph."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.bot_values import graph, values
from tests.tui.offline_app import snapshot_of


def test_values_are_for_the_first_side() -> None:
    notes = {1: "depth 3 value +2", 2: "value +1.5", 3: "hello"}
    table = RoomView(snapshot_of("conga", ("a4b4", "d1c2", "d4c3"), notes=notes), 0.0)
    assert values(table.moves) == [2.0, -1.5, None]


def test_graph_has_the_given_size_and_is_centred_on_zero() -> None:
    lines = graph([4.0, 0.0, -4.0, None], 10, 2)
    assert lines == ["█   ", "██  "]
    assert graph([None, 4.0, None, -4.0], 10, 1) == [" ██ "]
    assert graph([1.0] * 50, 10, 3)[0] == "█" * 10
    assert all(line.isascii() for line in graph([1.0, -0.5], 5, 3, ascii_only=True))
    assert graph([], 0, 2) == ["", ""]
