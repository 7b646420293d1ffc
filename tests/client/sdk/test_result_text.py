"""The sentence about a result: every reason has one. Its words are tested with the other texts about rooms."""

from __future__ import annotations

from client.sdk.result_text import DRAW_TEXTS, LOSS_TEXTS, result_text
from client.sdk.room_view import RoomView
from protocol.types import END_REASONS
from tests.tui.offline_app import snapshot_of


def test_every_end_reason_has_a_text() -> None:
    assert {*LOSS_TEXTS, *DRAW_TEXTS, "aborted"} == set(END_REASONS)


def test_unknown_reason_is_shown_as_it_is() -> None:
    view = RoomView(snapshot_of("conga", status="ended", result="1-0", reason="flooded\x1b", winner=0), 0.0)
    outcome = view.outcome()
    assert outcome is not None
    assert result_text(view, outcome) == "You win: flooded\\u001b"
