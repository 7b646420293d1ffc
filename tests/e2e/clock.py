"""A clock that can be put forward."""

from __future__ import annotations

from server.rooms.timers import now


class Clock:
    """The time, and as much more as the test likes."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return now() + self.ahead

    def pass_by(self, seconds: float) -> None:
        self.ahead += int(seconds * 1000)
