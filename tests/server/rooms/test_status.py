from __future__ import annotations

from server.rooms.status import NodeStatus
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
