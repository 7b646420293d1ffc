"""Server time, and one timer for every room with a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic_ns, time_ns

from server.rooms.live_room import LiveRoom

Now = Callable[[], int]
EPOCH_OFFSET_NS = time_ns() - monotonic_ns()


def now() -> int:
    """Return milliseconds since the epoch; not affected when the system clock is changed."""
    return (monotonic_ns() + EPOCH_OFFSET_NS) // 1_000_000


def clock_with(epoch_offset_ns: int) -> Now:
    """Return a clock like `now` with the offset of another process of this machine, so that both agree."""
    return lambda: (monotonic_ns() + epoch_offset_ns) // 1_000_000


class RoomTimers:
    """Postponing a deadline, as most moves do, costs nothing: a timer that fires too early is set again."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self.on_deadline: Callable[[LiveRoom], None] = lambda live: None

    def schedule(self, live: LiveRoom, due: int) -> None:
        """Make sure that a timer fires at `due` or earlier."""
        if live.timer is None or live.timer_at > due:
            self._set(live, due, max(0.0, (due - self._now()) / 1000))

    def retry(self, live: LiveRoom, seconds: float) -> None:
        """Check the deadline again after this many seconds, even if it has passed."""
        due = live.deadline
        if due is not None:
            self._set(live, due, max(seconds, (due - self._now()) / 1000))

    def cancel(self, live: LiveRoom) -> None:
        """Cancel the timer, which would keep the room in memory."""
        if live.timer is not None:
            live.timer.cancel()
            live.timer = None

    def _set(self, live: LiveRoom, due: int, wait: float) -> None:
        if live.timer is not None:
            live.timer.cancel()
        live.timer_at = due
        live.timer = asyncio.get_running_loop().call_later(wait + 0.001, self._fired, live)

    def _fired(self, live: LiveRoom) -> None:
        live.timer = None
        due = live.deadline
        if due is None:
            return
        if due <= self._now():
            self.on_deadline(live)
        else:
            self.schedule(live, due)
