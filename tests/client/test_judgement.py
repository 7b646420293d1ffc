"""How bots judge a position, as sentences."""

from __future__ import annotations

from client.presentation.judgement import advice_text, balance_text, numbers_text, share_of
from client.sdk.note import Note
from client.sdk.room_view import RoomView
from tests.tui.offline_app import snapshot_of


def test_balance_is_a_sentence() -> None:
    names = ("alice", "search@5")
    assert balance_text(0.1, names) == "About even."
    assert balance_text(1.2, names) == "alice is a little better."
    assert balance_text(-3, names) == "search@5 is better."
    assert balance_text(-90, names) == "search@5 is winning."
    assert share_of(0) == 0.5


def test_advice_names_what_the_engine_expects() -> None:
    note = Note(value=3.0, proved=True, depth=9, line=("a4b4", "d1c1", "b4c4", "c1b1", "c4d4"))
    text = "Best move a4b4: value +3 for you, proved, 9 moves ahead, then d1c1 b4c4 c1b1."
    assert advice_text("a4b4", note) == text
    assert advice_text("a4b4", Note()) == "Best move a4b4."


def test_numbers_are_those_of_the_latest_note_up_to_the_ply() -> None:
    notes = {1: "depth 4 value +0.5 line a4b4 d1c1", 3: "value -2 proved | sure"}
    table = RoomView(snapshot_of("conga", ("a4b4", "d1c1", "b4b3"), notes=notes), 0.0)
    assert numbers_text(table, 0) == ""
    assert numbers_text(table, 1) == numbers_text(table, 2) == "alice a4b4: +0.5 depth 4 line a4b4 d1c1"
    assert numbers_text(table, 3) == "alice b4b3: -2 proved sure"
