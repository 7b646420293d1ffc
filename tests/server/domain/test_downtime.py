"""What rooms get back after the server was down."""

from __future__ import annotations

import pytest

from protocol.commands import Join, Resign
from protocol.types import TimeControl
from server.domain import snapshots
from server.domain.downtime import Downtime, credit_lost_node, credit_turn, resume, resume_after
from server.domain.endings import check_deadline
from tests.server.domain.helpers import ANN, BEN, MINUTE_MS, NOW, do, play, running, waiting

FISCHER = TimeControl(kind="fischer", base=10_000)


def test_running_clock_gets_the_downtime_back() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    back = resume(room, NOW + MINUTE_MS, NOW + 3000).room
    assert snapshots.times_left(back, NOW + MINUTE_MS) == (9000, 8000)


def test_players_are_away_after_a_restart_even_if_the_system_clock_went_back() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    assert resume(room, NOW + MINUTE_MS, NOW + 3000).room.away == (NOW + MINUTE_MS, NOW + MINUTE_MS)
    assert resume(room, NOW - MINUTE_MS, None).room.away == (NOW - MINUTE_MS, NOW - MINUTE_MS)


@pytest.mark.parametrize("now", [NOW - 10**9, NOW + 500, NOW + 5000, NOW + 10**9])
def test_turn_begins_again_if_the_downtime_is_not_known(now: int) -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    back = resume(room, now, None).room
    assert snapshots.times_left(back, now) == (9000, 10_000)
    assert back.deadline == now + 10_500, "not later either: the opponent need not wait for a clock that was wrong"


def test_turn_that_began_in_the_future_begins_now() -> None:
    """The clock was set back by less than the time between the last heartbeat and the turn."""
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    back = resume(room, NOW + 600, NOW + 500).room
    assert snapshots.times_left(back, NOW + 600) == (9000, 10_000)


@pytest.mark.parametrize("down_ms", [MINUTE_MS, 10**9])
def test_waiting_room_gets_the_downtime_back(down_ms: int) -> None:
    room = waiting().room
    due = room.deadline
    assert due is not None
    back = resume(room, NOW + 1000 + down_ms, NOW + 1000).room
    assert back.deadline == due + down_ms
    assert check_deadline(back, NOW + 1000 + down_ms).events == ()
    unknown = resume(room, NOW - 10**9, None).room
    assert unknown.deadline == NOW - 10**9 + room.setup.expiry


def test_room_that_awaits_pairing_ends_with_a_restart() -> None:
    assert resume(waiting(paired=True).room, NOW + MINUTE_MS, NOW).room.status == "ended"
    assert resume(waiting().room, NOW + MINUTE_MS, NOW).room.status == "waiting"
    joined = do(waiting(paired=True).room, BEN, Join).room
    assert resume(joined, NOW + MINUTE_MS, NOW).room.status == "running"


def test_ended_room_is_not_resumed() -> None:
    over = do(running(), ANN, Resign).room
    assert resume(over, NOW + MINUTE_MS, NOW).events == ()
    assert resume_after(over, [Downtime(NOW, NOW + MINUTE_MS)]).events == ()


def test_several_downtimes_are_credited_as_if_each_restart_had_resumed_the_room() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    downtimes = [Downtime(NOW + 2000, NOW + MINUTE_MS), Downtime(NOW + MINUTE_MS + 500, NOW + 2 * MINUTE_MS)]
    first = resume(room, NOW + MINUTE_MS, NOW + 2000)
    second = resume(first.room, NOW + 2 * MINUTE_MS, NOW + MINUTE_MS + 500)
    assert resume_after(room, downtimes) == (first.events + second.events, second.room)
    assert snapshots.times_left(second.room, NOW + 2 * MINUTE_MS) == (9000, 8500), "the clock ran while a server ran"


def test_turn_that_began_after_the_last_heartbeat_gets_only_its_own_time_back() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    back = resume_after(room, [Downtime(NOW, NOW + MINUTE_MS)]).room
    assert snapshots.times_left(back, NOW + MINUTE_MS) == (9000, 10_000)


def test_outage_is_credited_and_players_stay_online() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    (event,), credited = credit_turn(room, NOW + 8000, 4000, 1500)
    assert (event.credit, event.delay, event.outage) == (4000, 1500, True)  # type: ignore[union-attr]
    assert snapshots.times_left(credited, NOW + 8000) == (9000, 8500)
    assert credited.away == (None, None)


def test_nothing_is_credited_without_a_running_clock() -> None:
    for room in (running(), waiting().room, do(running(clock=FISCHER), ANN, Resign).room):
        assert credit_turn(room, NOW + 8000, 4000).events == ()
    assert credit_turn(running(clock=FISCHER), NOW + 8000, 0).events == ()


def test_player_of_a_lost_node_gets_the_time_since_it_last_worked() -> None:
    room = play(running(clock=FISCHER), "a4b4", now=NOW + 1000)
    back = credit_lost_node(room, BEN.id, NOW + 8000, NOW + 3000).room
    assert snapshots.times_left(back, NOW + 8000) == (9000, 8000)
    later = credit_lost_node(room, BEN.id, NOW + 8000, NOW, grace=5000).room
    assert later.deadline == NOW + 8000 + 5000 + 10_500
    assert credit_lost_node(room, ANN.id, NOW + 8000, NOW + 3000).events == (), "it is not ann's turn"
