"""Decisions, refusals, and the helpers that build them."""

from __future__ import annotations

import pytest

from protocol.events import DrawOffered, Ended, Said
from protocol.types import EndReason, Result
from server.domain.decision import NO_RESULT, Decision, Refusal, emit, end_game
from server.domain.room import apply
from tests.server.domain.helpers import NOW, running


def test_emit_applies_the_events_in_order() -> None:
    room = running()
    first = DrawOffered(room="r1", seq=room.seq + 1, at=NOW, seat=1)
    second = Said(room="r1", seq=room.seq + 2, at=NOW, name="ann", seat=0, text="yes?")
    decision = emit(room, first, second)
    assert decision.events == (first, second)
    assert decision.room == apply(apply(room, first), second)
    assert emit(room) == Decision((), room)


@pytest.mark.parametrize(
    ("winner", "reason", "result", "expected"),
    [
        (0, "resigned", None, "1-0"),
        (1, "time", None, "0-1"),
        (None, "agreed", None, "1/2-1/2"),
        (None, "aborted", NO_RESULT, "*"),
    ],
)
def test_end_of_a_game_has_a_result(
    winner: int | None, reason: EndReason, result: Result | None, expected: Result
) -> None:
    (end,), room = end_game(running(), winner, reason, NOW, result)
    assert isinstance(end, Ended)
    assert (end.result, end.reason, end.winner) == (expected, reason, winner)
    assert (room.status, room.ended) == ("ended", end)


def test_refusal_carries_code_text_and_events() -> None:
    decision = end_game(running(), 1, "time", NOW)
    refusal = Refusal("too_late", "your time ran out", decision=decision, retry_after=3)
    assert (refusal.code, str(refusal), refusal.decision, refusal.retry_after) == (
        "too_late",
        "your time ran out",
        decision,
        3,
    )
    assert Refusal("stale", "old").decision is None
