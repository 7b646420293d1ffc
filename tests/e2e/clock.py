"""A clock that tests can advance."""

from __future__ import annotations

from server.rooms.status import NodeStatus
from server.rooms.timers import now

STEP_MS = 100


class Clock:
    """The current time plus an offset."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return now() + self.ahead

    def pass_by(self, seconds: float) -> None:
        self.ahead += int(seconds * 1000)

    def pass_at_work(self, status: NodeStatus, seconds: float) -> None:
        """Let time pass in which the event loop of a server runs. After one long step it would count as stopped."""
        for _ in range(int(seconds * 1000 / STEP_MS)):
            self.ahead += STEP_MS
            status.pulse()
