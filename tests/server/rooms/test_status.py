from __future__ import annotations

from server.rooms.status import HANGS, MAX_PULSE_GAP_MS, MAX_WRITE_AGE_S, NodeStatus
from tests.server.domain.helpers import NOW
from tests.server.fakes import ManualClock
from tests.server.rooms.helpers import live_game

DISK_FULL = OSError("disk full")


def test_node_works_until_now_while_the_store_works(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    clock.advance(10)
    assert (status.store_error, status.worked_until()) == ("", NOW + 10)


def test_outage_begins_with_the_earliest_failure(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    status.store_failed(DISK_FULL)
    clock.advance(500)
    status.store_failed(OSError("still full"))
    assert (status.store_error, status.worked_until()) == ("still full", NOW)
    status.store_failed(DISK_FULL, NOW - 200)  # a command that was received before the first failure
    assert status.worked_until() == NOW - 200


def test_recovery_reports_the_time_of_the_failure_once(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    calls: list[tuple[str, int]] = []
    status.on_recovery(lambda failed_at: calls.append(("first", failed_at)))
    status.on_recovery(lambda failed_at: calls.append(("second", failed_at)))
    status.store_works()
    assert calls == []
    status.store_failed(DISK_FULL)
    clock.advance(500)
    status.store_works()
    status.store_works()
    assert calls == [("first", NOW), ("second", NOW)]
    assert (status.store_error, status.worked_until()) == ("", NOW + 500)


def test_second_outage_does_not_remember_the_first(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    status.store_failed(DISK_FULL)
    status.store_works()
    clock.advance(500)
    status.store_failed(DISK_FULL)
    assert status.worked_until() == NOW + 500


def test_outage_stalls_the_current_turn(clock: ManualClock) -> None:
    status, live = NodeStatus(clock), live_game("a1")
    clock.advance(100)
    assert status.stalled_ms(live, clock()) == 0
    status.store_failed(DISK_FULL)
    clock.advance(400)
    assert status.stalled_ms(live, clock()) == 400
    status.store_works()
    assert status.stalled_ms(live, clock()) == 0


def test_pulse_after_a_gap_reports_when_the_process_last_worked(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    calls: list[int] = []
    status.on_stall(calls.append)
    for gap in (MAX_PULSE_GAP_MS + 1, MAX_PULSE_GAP_MS, MAX_PULSE_GAP_MS + 1, 10):
        clock.advance(gap)
        status.pulse()
    assert calls == [clock() - 10 - (MAX_PULSE_GAP_MS + 1)], "the first pulse has no gap before it"


def test_gap_in_an_outage_is_not_credited_twice(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    calls: list[int] = []
    status.on_stall(calls.append)
    status.pulse()
    status.store_failed(DISK_FULL)
    clock.advance(10 * MAX_PULSE_GAP_MS)
    status.pulse()
    assert calls == []


def test_store_that_hangs_counts_as_failing_since_the_write_began(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    failures: list[int] = []
    status.on_recovery(failures.append)
    status.note_write_age(MAX_WRITE_AGE_S)
    assert not status.store_error
    status.note_write_age(MAX_WRITE_AGE_S + 1)
    assert (status.store_error, status.worked_until()) == (HANGS, clock() - int(1000 * MAX_WRITE_AGE_S) - 1000)
    failed_at = status.worked_until()
    status.note_write_age(0.0)
    assert (status.store_error, failures) == ("", [failed_at])


def test_end_of_a_hang_does_not_hide_another_failure(clock: ManualClock) -> None:
    status = NodeStatus(clock)
    status.store_failed(DISK_FULL)
    status.note_write_age(0.0)
    assert status.store_error == "disk full"
