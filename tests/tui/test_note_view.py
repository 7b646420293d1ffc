"""The text of a bot's note."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.widgets.note_view import note_text
from tests.tui.offline_app import snapshot_of

MOVES = ("a4b4", "d1c2", "d4c3")


def test_latest_note_up_to_the_ply_is_shown() -> None:
    notes = {1: "depth 3 value +2", 2: "value +1.5", 3: "hello"}
    table = RoomView(snapshot_of("conga", MOVES, notes=notes), 0.0)
    assert note_text(table, 2).startswith("search d1c2: +1.5")
    assert note_text(table, 3) == "alice d4c3: hello"
    assert note_text(table, 0) == ""


def test_note_with_only_times_and_counts_is_not_shown() -> None:
    notes = {1: "wall 0.012 cpu 0.010", 2: "value +1", 3: "nodes 4"}
    table = RoomView(snapshot_of("conga", MOVES, notes=notes), 0.0)
    assert [note_text(table, ply) for ply in (1, 2, 3)] == ["", "search d1c2: +1", "search d1c2: +1"]
