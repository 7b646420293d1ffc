"""When hints are available."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.hints import hint_refusal
from tests.tui.offline_app import snapshot_of


def test_hints_are_for_casual_games_against_bots() -> None:
    bots = frozenset({"search"}).__contains__
    assert hint_refusal(RoomView(snapshot_of("conga"), 0.0), bots) == ""
    assert "rated" in hint_refusal(RoomView(snapshot_of("conga", rated=True), 0.0), bots)
    assert "against bots" in hint_refusal(RoomView(snapshot_of("conga"), 0.0), frozenset().__contains__)
    assert "your turn" in hint_refusal(RoomView(snapshot_of("conga", ("a4b4",)), 0.0), bots)
