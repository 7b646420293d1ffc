from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from protocol.commands import Resign
from server.rooms import timers
from server.rooms.live_room import LiveRoom
from server.rooms.timers import RoomTimers
from tests.server.domain.helpers import ANN, do
from tests.server.fakes import ManualClock
from tests.server.rooms.helpers import BLITZ, advance, live_game


class Handle:
    """A timer that fires when the test says so."""

    def __init__(self, seconds: float, callback: Callable[..., None], *values: Any) -> None:
        self.seconds, self.callback, self.values = seconds, callback, values
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def fire(self) -> None:
        assert not self.cancelled
        self.callback(*self.values)


class ManualLoop:
    """The part of an event loop that timers need."""

    def __init__(self) -> None:
        self.handles: list[Handle] = []

    def call_later(self, seconds: float, callback: Callable[..., None], *values: Any) -> Handle:
        self.handles.append(Handle(seconds, callback, *values))
        return self.handles[-1]


class Setup:
    def __init__(self, loop: ManualLoop) -> None:
        self.loop, self.clock, self.live = loop, ManualClock(), live_game(clock=BLITZ)
        self.timers = RoomTimers(self.clock)
        self.fired: list[LiveRoom] = []
        self.timers.on_deadline = self.fired.append
        due = self.live.deadline
        assert due is not None
        self.due = due
        self.wait_s = (due - self.clock()) / 1000

    @property
    def waits(self) -> list[float]:
        """Seconds of the timers that were set, without the millisecond that is added to each."""
        return [round(handle.seconds - 0.001, 6) for handle in self.loop.handles]


@pytest.fixture
def setup(monkeypatch: pytest.MonkeyPatch) -> Setup:
    loop = ManualLoop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return Setup(loop)


def test_timer_fires_at_the_deadline(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    assert setup.waits == [setup.wait_s]
    setup.clock.at = setup.due
    setup.loop.handles[0].fire()
    assert setup.fired == [setup.live]
    assert setup.live.timer is None


def test_early_timer_is_set_again_for_the_rest(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    setup.live.uncharged_ms = 500
    setup.clock.at = setup.due
    setup.loop.handles[0].fire()
    assert setup.fired == []
    assert setup.waits == [setup.wait_s, 0.5]


def test_same_or_later_deadline_keeps_the_timer(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    setup.timers.schedule(setup.live, setup.due + 1000)
    setup.timers.schedule(setup.live, setup.due)
    assert len(setup.loop.handles) == 1


def test_earlier_deadline_replaces_the_timer(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    setup.timers.schedule(setup.live, setup.due - 1000)
    assert [handle.cancelled for handle in setup.loop.handles] == [True, False]
    assert setup.waits[1] == setup.wait_s - 1


def test_overdue_deadline_fires_at_once(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.clock() - 5000)
    assert setup.waits == [0.0]


def test_retry_waits_even_if_the_deadline_has_passed(setup: Setup) -> None:
    setup.clock.at = setup.due + 1
    setup.timers.retry(setup.live, 1.5)
    assert setup.waits == [1.5]


def test_retry_does_not_come_before_the_deadline(setup: Setup) -> None:
    setup.timers.retry(setup.live, 1.5)
    assert setup.waits == [setup.wait_s]


def test_cancelled_timer_is_forgotten(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    setup.timers.cancel(setup.live)
    assert setup.loop.handles[0].cancelled
    assert setup.live.timer is None
    setup.timers.cancel(setup.live)  # no timer is fine


def test_ended_game_needs_no_timer(setup: Setup) -> None:
    setup.timers.schedule(setup.live, setup.due)
    advance(setup.live, do(setup.live.room, ANN, Resign))
    setup.clock.at = setup.due
    setup.loop.handles[0].fire()
    setup.timers.retry(setup.live, 1.0)
    assert setup.fired == []
    assert len(setup.loop.handles) == 1


def test_server_time_is_in_milliseconds_since_the_epoch() -> None:
    assert abs(timers.now() - time.time() * 1000) < 60_000
    assert timers.now() <= timers.now()
