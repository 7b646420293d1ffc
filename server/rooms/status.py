"""Status of this node: draining, resuming games after a restart, or without a working store."""

from __future__ import annotations

from collections.abc import Callable

from server.rooms.live_room import LiveRoom
from server.rooms.timers import Now

NODE_TIMEOUT_MS = 5000  # a node without a heartbeat for this long counts as dead
# Only the node of the player to move knows when the player was told of the turn, so that node flags. Another node flags
# this long after the deadline if the player is online, or this long after the player went offline.
FLAG_GRACE_ONLINE_MS = 2 * NODE_TIMEOUT_MS  # a dead node is noticed earlier, and its players are offline then
FLAG_GRACE_OFFLINE_MS = 3000  # a node that was stopped seems dead, and may be back
RETRY_AFTER_S = 1.0  # when a client or a timer tries again after the store has failed


class NodeStatus:
    """While the store cannot write, no clock runs: the lost time is credited to every running turn."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self.draining = False
        self.resuming = False  # games are being resumed: deadlines wait until the downtime is credited
        self.store_error = ""  # why the store cannot write, or "" if it can
        self._failed_at = 0
        self._on_recovery: list[Callable[[int], None]] = []

    def on_recovery(self, hook: Callable[[int], None]) -> None:
        """Call a hook with the time of the failure as soon as the store works again."""
        self._on_recovery.append(hook)

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

    def worked_until(self) -> int:
        """Return until when this node could work; a restart credits the time after that."""
        return self._failed_at if self.store_error else self._now()

    def stalled_ms(self, live: LiveRoom, at: int) -> int:
        """Return how long the store's failure has held up the current turn of a room."""
        return live.stalled_ms(self._failed_at, at) if self.store_error else 0
