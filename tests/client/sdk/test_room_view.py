"""A view equals the server's room, whether it was built from events or from a snapshot."""

from __future__ import annotations

import random

import pytest

from client.sdk.room_view import Desync, RoomView
from protocol.events import Moved, Presence, Resumed, Seated
from protocol.replies import Snapshot
from protocol.types import LegalMove, TimeControl, replace
from server.domain import snapshots
from tests.client.sdk.room_log import RoomLog, busy_log


def fields(view: RoomView) -> dict[str, object]:
    names = ("seq", "status", "seats", "moves", "position", "turn", "left", "offers", "fouls", "result", "reason",
             "winner", "scores", "next", "states")  # fmt: skip
    return {name: getattr(view, name) for name in names} | {"chat": [said.text for said in view.chat]}


@pytest.mark.parametrize("game", ["conga", "mancala"])
@pytest.mark.parametrize("seed", range(5))
def test_events_lead_to_the_same_view_as_a_later_snapshot(seed: int, game: str) -> None:
    log = busy_log(seed, game)
    last = len(log.events) - 1
    for at in random.Random(seed).sample(range(2, last), 10):
        view = RoomView(log.snapshot(at), now=0.0)
        for event in log.events[at + 1 :]:
            view.apply(event, event.at / 1000)
        fresh = RoomView(log.snapshot(last), 0.0)
        if not any(isinstance(event, Moved) for event in log.events[at + 1 :]):
            fresh.left = view.left  # a snapshot within a turn has the running clock, one after the end has not
        assert fields(view) == fields(fresh)


def test_later_snapshot_reuses_the_known_states() -> None:
    log = busy_log(1)
    known = RoomView(log.snapshot(10), 0.0)
    later = RoomView(log.snapshot(-1), 0.0, known)
    assert fields(later) == fields(RoomView(log.snapshot(-1), 0.0))
    assert later.game is known.game


def test_event_out_of_order_is_a_desync() -> None:
    log = busy_log(1)
    view = RoomView(log.snapshot(5), 0.0)
    with pytest.raises(Desync, match="came after"):
        view.apply(log.events[8], 0.0)


def test_move_with_a_wrong_position_is_a_desync() -> None:
    log = RoomLog()
    log.move(random.Random(1))
    view = RoomView(log.snapshot(-2), 0.0)
    with pytest.raises(Desync, match="does not lead to"):
        view.apply(log.wrong_position(), 0.0)


def test_snapshot_whose_moves_contradict_its_position_is_a_desync() -> None:
    log = busy_log(1)
    values = {name: getattr(log.snapshot(-1), name) for name in Snapshot.__struct_fields__}
    with pytest.raises(Desync, match="do not lead to position"):
        RoomView(Snapshot(**{**values, "position": "elsewhere"}), 0.0)


def test_time_left_counts_down_for_the_side_to_move() -> None:
    log = RoomLog(clock=TimeControl(kind="bank", per_move=2000, bank=10_000))
    view = RoomView(log.snapshot(-1), now=100.0)
    assert view.time_left(0, 100.0) == 12.0
    assert view.time_left(0, 103.5) == 8.5
    assert view.time_left(1, 103.5) == 12.0
    assert view.free(101.5) == 0.5
    later = snapshots.snapshot(log.room, 0, log.now + 1500)  # the turn has already started
    assert RoomView(later, now=200.0).time_left(0, 200.0) == 10.5
    assert RoomView(snapshots.snapshot(log.room, 0, log.now + 3000), now=200.0).time_left(0, 200.0) == 9.0


def test_turn_begins_again_after_a_downtime_that_is_not_known() -> None:
    view = RoomView(RoomLog().snapshot(-1), now=0.0)
    before = view.time_left(0, 0.0)
    view.apply(Resumed(room="r", seq=view.seq + 1, at=0, credit=0, turn_at=0), 10.0)
    assert view.time_left(0, 10.0) == before


def test_credited_time_extends_the_turn() -> None:
    log = RoomLog()
    view = RoomView(log.snapshot(-1), now=0.0)
    before = view.time_left(0, 10.0)
    assert before is not None
    view.apply(Resumed(room="r", seq=view.seq + 1, at=0, credit=4000), 10.0)
    assert view.time_left(0, 10.0) == before + 4.0


def test_absent_opponent_can_be_claimed_after_a_while() -> None:
    view = RoomView(RoomLog().snapshot(-1), now=0.0)
    assert view.claim_wait(0.0) is None
    view.apply(Presence(room="r", seq=view.seq + 1, at=1000, seat=1, online=False, claim_at=31_000), 50.0)
    assert view.opponent is not None
    assert not view.opponent.online
    assert view.claim_wait(60.0) == 20.0
    assert view.claim_wait(99.0) == 0.0
    view.apply(Presence(room="r", seq=view.seq + 1, at=2000, seat=1, online=True), 60.0)
    assert view.claim_wait(60.0) is None


def test_unknown_game_is_followed_without_states() -> None:
    log = RoomLog()
    log.move(random.Random(1))
    values = {name: getattr(log.snapshot(-2), name) for name in Snapshot.__struct_fields__}
    view = RoomView(Snapshot(**{**values, "game": "chess"}), 0.0)
    assert view.game is None
    view.apply(log.events[-1], 0.0)
    assert view.ply == 1


def test_view_keeps_the_boards_that_the_server_sends() -> None:
    view = RoomView(replace(RoomLog("cohcoh").snapshot(-1), board=((None, 0),), last=("a1",)), 0.0)
    assert (view.board, view.last, view.legal, view.decisive) == (((None, 0),), ("a1",), None, ())
    log = busy_log(3)
    at = next(at for at, event in enumerate(log.events) if isinstance(event, Moved))
    view = RoomView(log.snapshot(at - 1), 0.0)
    legal = (LegalMove(move="a4b4", path=("a4", "b4")),)
    view.apply(replace(log.events[at], board=((0, 1),), last=("a4", "b4"), legal=legal), 0.0)
    assert (view.board, view.last, view.legal) == (((0, 1),), ("a4", "b4"), legal)


def test_view_keeps_the_program_of_a_bot() -> None:
    log = busy_log(1)
    seated = next(event for event in log.events if isinstance(event, Seated) and event.seat == 1)
    view = RoomView(log.snapshot(seated.seq - 2), 0.0)
    view.apply(replace(seated, bot=True, engine="mine", version="2"), 0.0)
    view.apply(Presence(room="r", seq=seated.seq + 1, at=0, seat=1, online=False), 0.0)
    seat = view.seats[1]
    assert seat is not None
    assert (seat.bot, seat.engine, seat.version, seat.online) == (True, "mine", "2", False)


def test_delay_before_a_turn_is_credited_only_where_the_clock_ran() -> None:
    """The player to move saw the turn begin after the delay; for the others, the clock ran during it."""
    for seat, credit in ((0, 4.0), (1, 9.0), (None, 9.0)):
        view = RoomView(replace(RoomLog().snapshot(-1), your_seat=seat), now=0.0)
        assert view.turn == 0
        before = view.time_left(0, 10.0)
        assert before is not None
        view.apply(Resumed(room="r", seq=view.seq + 1, at=0, credit=4000, delay=5000, outage=True), 10.0)
        assert view.time_left(0, 10.0) == before + credit
