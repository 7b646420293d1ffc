"""A clock that tests can advance."""

from __future__ import annotations

from server.rooms.timers import now


class Clock:
    """The current time plus an offset."""

    def __init__(self) -> None:
        self.ahead = 0

    def __call__(self) -> int:
        return now() + self.ahead

    def pass_by(self, seconds: float) -> None:
        self.ahead += int(seconds * 1000)
