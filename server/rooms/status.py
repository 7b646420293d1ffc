"""Status of this node: draining, resuming games after a restart, or without a working store."""

from __future__ import annotations

import logging
from collections.abc import Callable
from math import inf

from server.logs import log
from server.rooms.live_room import LiveRoom
from server.rooms.timers import Now

NODE_TIMEOUT_MS = 5000  # a node without a heartbeat for this long counts as dead
# Only the node of the player to move knows when the player was told of the turn, so that node flags. Another node flags
# this long after the deadline if the player is online, or this long after the player went offline.
FLAG_GRACE_ONLINE_MS = 2 * NODE_TIMEOUT_MS  # a dead node is noticed earlier, and its players are offline then
FLAG_GRACE_OFFLINE_MS = 3000  # a node that was stopped seems dead, and may be back
PULSE_INTERVAL_S = 0.25
MAX_PULSE_GAP_MS = 1000  # a longer one means that this process was stopped
MAX_WRITE_AGE_S = 2.0  # a store with an older write counts as failing
HANGS = "a write takes too long"
RETRY_AFTER_S = 1.0  # when a client or a timer tries again after the store has failed


class NodeStatus:
    """While the store cannot write or this process is stopped, no clock runs: every running turn is credited."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self.draining = False
        self.resuming = False  # games are being resumed: deadlines wait until the downtime is credited
        self.store_error = ""  # why the store cannot write, or "" if it can
        self.stalled_at = inf  # if it is later than this, the process was stopped; never before the first pulse
        self._failed_at = 0
        self._on_recovery: list[Callable[[int], None]] = []
        self._on_stall: list[Callable[[int], None]] = []

    def on_recovery(self, hook: Callable[[int], None]) -> None:
        """Call a hook with the time of the failure as soon as the store works again."""
        self._on_recovery.append(hook)

    def on_stall(self, hook: Callable[[int], None]) -> None:
        """Call a hook, after this process was stopped for a while, with the time when it last worked."""
        self._on_stall.append(hook)

    def store_failed(self, error: BaseException, since: int = 0) -> None:
        """Note that the store cannot write, from `since` (default: now) on."""
        since = since or self._now()
        self._failed_at = min(since, self._failed_at) if self.store_error else since
        self.store_error = str(error)

    def store_works(self) -> None:
        """Note that the store has written something."""
        if self.store_error:
            self.store_error = ""
            for hook in self._on_recovery:
                hook(self._failed_at)

    def note_write_age(self, seconds: float) -> None:
        """Count a store as failing while it has not finished a write for a while. `seconds`: since that write began."""
        if seconds > MAX_WRITE_AGE_S:
            if not self.store_error:
                self.store_failed(TimeoutError(HANGS), self._now() - int(seconds * 1000))
                log("store_hangs", logging.ERROR)
        elif self.store_error == HANGS:
            self.store_works()

    def pulse(self) -> None:
        """Note that the event loop runs. If it did not run for a while, credit that time as an outage."""
        at = self._now()
        if at > self.stalled_at and not self.store_error:
            began = int(self.stalled_at) - MAX_PULSE_GAP_MS
            log("stalled", logging.WARNING, ms=at - began)
            for hook in self._on_stall:
                hook(began)
        self.stalled_at = at + MAX_PULSE_GAP_MS

    def worked_until(self) -> int:
        """Return until when this node could work; a restart credits the time after that."""
        return self._failed_at if self.store_error else self._now()

    def stalled_ms(self, live: LiveRoom, at: int) -> int:
        """Return how long the store's failure has held up the current turn of a room."""
        return live.stalled_ms(self._failed_at, at) if self.store_error else 0
