"""The time, and an alarm for every room that has a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic_ns, time_ns

from server.rooms.live_room import Live

Now = Callable[[], int]
_AHEAD = time_ns() - monotonic_ns()


def now() -> int:
    """Milliseconds since the epoch; runs evenly even if the machine's clock is set."""
    return (monotonic_ns() + _AHEAD) // 1_000_000


class Alarms:
    """An alarm that rings too early is set again, so a deadline that moves away, as most do, costs nothing."""

    def __init__(self, now: Now, ring: Callable[[Live], None]) -> None:
        self._now = now
        self._ring = ring

    def watch(self, live: Live, due: int | None) -> None:
        """`due` is the room's deadline."""
        if due is None or (live.alarm is not None and live.alarm_at <= due):
            return
        self._set(live, due, max(0.0, (due - self._now()) / 1000))

    def retry(self, live: Live, seconds: float) -> None:
        """Look again later, even if the deadline has passed."""
        due = live.deadline
        if due is not None:
            self._set(live, due, max(seconds, (due - self._now()) / 1000))

    def silence(self, live: Live) -> None:
        """An alarm that is set keeps its room in memory."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None

    def _set(self, live: Live, due: int, wait: float) -> None:
        if live.alarm is not None:
            live.alarm.cancel()
        live.alarm_at = due
        live.alarm = asyncio.get_running_loop().call_later(wait + 0.001, self._fired, live)

    def _fired(self, live: Live) -> None:
        live.alarm = None
        due = live.deadline
        if due is not None and due <= self._now():
            self._ring(live)
        else:
            self.watch(live, due)
