"""Moves: what they report, why they are refused, and how they end games."""

from __future__ import annotations

import pytest

from engine.record import RULE_REASONS
from protocol.commands import Move, Resign
from protocol.events import Ended, Fouled, Moved
from protocol.types import END_REASONS, TimeControl
from server.domain.moves import MAX_FOUL_TEXT
from tests.server.domain.helpers import ANN, BEN, EVE, NOW, do, move, play, refused, running, waiting


def test_moved_event_is_complete() -> None:
    (moved,) = move(running(clock=TimeControl(kind="fischer", base=1000, increment=10)), ANN, "a4b4", NOW + 300).events
    assert moved == Moved(
        room="r1",
        seq=5,
        at=NOW + 300,
        ply=1,
        side=0,
        move="a4b4",
        position=".,b1,b2,b7/.,.,.,./.,.,.,./.,.,.,w10 w",
        turn=1,
        took=300,
        charged=300,
        left=(710, 1000),
    )


def test_note_of_a_bot_is_kept() -> None:
    (moved,) = do(running(), ANN, Move, ply=0, move="a4b4", note="depth 3").events
    assert isinstance(moved, Moved)
    assert moved.note == "depth 3"


def test_each_refusal_has_its_code() -> None:
    room = running()
    assert refused(waiting().room, ANN, Move, ply=0, move="a4b4").code == "not_running"
    assert refused(room, EVE, Move, ply=0, move="a4b4").code == "not_seated"
    assert refused(room, BEN, Move, ply=0, move="d1c1").code == "not_your_turn"
    assert refused(room, ANN, Move, ply=1, move="a4b4").code == "stale"
    assert refused(room, ANN, Move, ply=0, move="hello").code == "invalid_notation"
    assert refused(room, ANN, Move, ply=0, move="a4a3a2").code == "invalid_notation"
    assert refused(room, ANN, Move, ply=0, move="d1c1").code == "illegal_move"
    assert refused(play(room, "a4b4"), ANN, Move, ply=0, move="a4b4").code == "stale"
    ended = do(room, ANN, Resign).room
    assert refused(ended, ANN, Move, ply=0, move="a4b4").code == "game_over"


def test_refusals_say_what_is_wrong_and_what_to_do() -> None:
    room = running()
    assert str(refused(room, EVE, Move, ply=0, move="a4b4")) == "you have no seat in this room: join it first"
    assert str(refused(room, ANN, Move, ply=3, move="a4b4")) == "your move is for ply 3, but the game is at ply 0"
    assert "it is black's turn" in str(refused(room, BEN, Move, ply=0, move="d1c1"))
    assert "legal: a4a3 a4b3 a4b4" in str(refused(room, ANN, Move, ply=0, move="d1c1"))


def test_illegal_moves_are_not_counted_without_a_limit() -> None:
    assert refused(running(), ANN, Move, ply=0, move="zz").decision is None


def test_illegal_moves_are_counted_up_to_the_limit_of_the_room() -> None:
    room = running(illegal=2)
    first = refused(room, ANN, Move, ply=0, move="zz")
    assert first.decision is not None
    assert first.decision.room.fouls == (1, 0)
    assert str(first).endswith("(illegal move 1 of 2)")
    second = refused(first.decision.room, ANN, Move, ply=0, move="d1c1")
    assert second.decision is not None
    assert [type(event) for event in second.decision.events] == [Fouled, Ended]
    assert second.decision.room.ended is not None
    assert (second.decision.room.ended.winner, second.decision.room.ended.reason) == (1, "illegal_moves")


def test_counted_illegal_move_is_kept_short_and_printable() -> None:
    refusal = refused(running(illegal=2), ANN, Move, ply=0, move="\x1b[31m" + "x" * 100)
    assert refusal.decision is not None
    (fouled,) = refusal.decision.events
    assert isinstance(fouled, Fouled)
    assert fouled.move == ("?[31m" + "x" * 100)[:MAX_FOUL_TEXT]


def test_move_after_the_time_loses() -> None:
    late = refused(running(clock=TimeControl(kind="move", per_move=1000)), ANN, Move, NOW + 1001, ply=0, move="a4b4")
    assert (late.code, str(late)) == ("too_late", "your time ran out")
    assert late.decision is not None
    assert late.decision.room.ended is not None
    assert (late.decision.room.ended.reason, late.decision.room.ended.winner) == ("time", 1)


def test_engine_decides_about_extra_turns() -> None:
    room = play(running("mancala"), "3")  # the last stone falls into the own store
    assert room.turn == 0
    assert refused(room, BEN, Move, ply=1, move="1").code == "not_your_turn"
    assert move(room, ANN, "1").room.turn == 1


def test_rules_end_a_game() -> None:
    room = running("cohcoh", options={"n": 2, "k": 2})
    events = move(play(room, "a1", "a2"), ANN, "b1").events
    assert isinstance(events[-1], Ended)
    assert (events[-1].result, events[-1].reason, events[-1].winner) == ("0-1", "line", 1)


def test_third_occurrence_of_a_position_is_a_draw() -> None:
    room = running(options={"stones": 1, "start": "b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 b"})
    room = play(room, "a4a3", "d1d2", "a3a4", "d2d1", "a4a3", "d1d2", "a3a4")
    assert room.status == "running"
    room = play(room, "d2d1")
    assert room.ended is not None
    assert (room.ended.reason, room.ended.result) == ("repetition", "1/2-1/2")


def test_ply_limit_is_a_draw() -> None:
    room = play(running(options={"max_plies": 2}), "a4b4", "d1c1")
    assert room.ended is not None
    assert room.ended.reason == "ply_limit"


def test_protocol_has_all_reasons_of_the_engine() -> None:
    assert set(RULE_REASONS) <= set(END_REASONS)


def test_game_with_an_unknown_end_reason_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    room = play(running("cohcoh", options={"n": 2, "k": 2}), "a1", "a2")
    monkeypatch.setattr(type(room.game), "reason", lambda game, state: "boxes")
    with pytest.raises(ValueError, match="cohcoh ended with reason 'boxes': expected one of no_moves, "):
        play(room, "b1")
