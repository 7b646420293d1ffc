"""The time of the store, so that the time stamps of all nodes come from one place, however their own clocks go."""

from __future__ import annotations

import logging

from server.logs import log
from server.rooms.timers import Now
from server.storage.interface import Store

MOST_SKEW = 250  # milliseconds; a clock that is further off is worth a line in the log
STANDSTILL = 2000  # milliseconds that our time may stand still instead of going back
TRIES = 5


class StoreClock:
    """Our own clock, corrected by how far it is from the store's. Rather than go back a little it stands still."""

    def __init__(self, own: Now) -> None:
        self._own = own
        self._latest = 0
        self._measured = False
        self.skew = 0  # milliseconds that our own clock is ahead

    def __call__(self) -> int:
        at = self._own() - self.skew
        if at < self._latest:
            return self._latest
        self._latest = at
        return at

    async def sync(self, store: Store) -> None:
        """Measure with the shortest of a few round trips, whose middle is when the store looked at its clock."""
        best: tuple[int, int] | None = None
        for _ in range(TRIES):
            before = self._own()
            theirs = await store.time()
            after = self._own()
            if theirs is None:
                return
            measured = (after - before, (before + after) // 2 - theirs)
            best = measured if best is None else min(best, measured)
        assert best is not None
        trip, skew = best
        if self._measured and abs(skew - self.skew) <= trip:  # no better than what we have
            return
        far = abs(skew) > MOST_SKEW
        if far or not self._measured:
            log("clock_skew", logging.WARNING if far else logging.INFO, ms=skew, was=self.skew, round_trip=trip)
        self._measured = True
        self.skew = skew
        if self._own() - skew < self._latest - STANDSTILL:
            self._latest = 0
