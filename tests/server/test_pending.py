"""What a decision is in the store: an event and nothing else as a rule, and the room's line where it has to be."""

from __future__ import annotations

import pytest

from protocol.commands import OfferDraw, Resign
from protocol.types import TimeControl
from server.domain.decision import Decision
from server.domain.room import Room
from server.rooms.live_room import LiveRoom
from server.rooms.processor import NO_REQUEST, Commit
from tests.server.domain.helpers import ANN, do, move, running

BLITZ = TimeControl(kind="fischer", base=60_000)


def pending(room: Room, decision: Decision, stored: int | None) -> Commit:
    live = LiveRoom(room, [])
    live.stored_deadline = stored
    return Commit(live, NO_REQUEST, decision)


@pytest.mark.parametrize(("later", "written"), [(-1, False), (0, False), (1, True), (None, True)])
def test_a_deadline_in_the_index_is_never_later_than_the_rooms_own(later: int | None, written: bool) -> None:
    room = running(clock=BLITZ)
    for decision in (move(room, ANN, "a4b4"), do(room, ANN, OfferDraw)):
        due = decision.room.deadline
        assert due is not None
        there = pending(room, decision, None if later is None else due + later)
        assert there.event_only is not written
        assert (None if there.row is None else there.row.deadline) == (due if written else None)


def test_what_is_more_than_one_event_is_not_plain() -> None:
    room = running()
    assert pending(room, do(room, ANN, OfferDraw), None).event_only
    resigned = pending(room, do(room, ANN, Resign), None)
    assert not resigned.event_only
    assert resigned.row is not None


def test_the_house_has_nothing_to_decide_again_after_a_conflict() -> None:
    peer, command, action, _ = NO_REQUEST
    room = running()
    assert (peer, command) == (None, None)
    assert action is not None
    assert action(room, 0) == ((), room)
