"""A clock set by the store, so that the timestamps of all nodes agree."""

from __future__ import annotations

import logging

from server.logs import log
from server.rooms.timers import Now
from server.storage.interface import Store

SKEW_WARNING_MS = 250  # a larger skew is logged as a warning
MAX_STANDSTILL_MS = 2000  # a larger step back is taken at once
MEASUREMENTS_PER_SYNC = 5


class StoreClock:
    """The local clock, corrected by its skew to the store's clock. It stands still instead of going back a little."""

    def __init__(self, local: Now) -> None:
        self._local = local
        self._latest = 0
        self._measured = False
        self.skew = 0  # milliseconds that the local clock is ahead

    def __call__(self) -> int:
        at = self._local() - self.skew
        if at < self._latest:
            return self._latest
        self._latest = at
        return at

    async def sync(self, store: Store) -> None:
        """Measure the skew with the shortest of a few round trips, in the middle of which the store read its clock."""
        best: tuple[int, int] | None = None
        for _ in range(MEASUREMENTS_PER_SYNC):
            before = self._local()
            remote = await store.time()
            after = self._local()
            if remote is None:
                return
            measured = (after - before, (before + after) // 2 - remote)
            best = measured if best is None else min(best, measured)
        assert best is not None
        round_trip, skew = best
        if self._measured and abs(skew - self.skew) <= round_trip:  # no more precise than the current skew
            return
        far = abs(skew) > SKEW_WARNING_MS
        if far or not self._measured:
            log("clock_skew", logging.WARNING if far else logging.INFO, ms=skew, was=self.skew, round_trip=round_trip)
        self._measured = True
        self.skew = skew
        if self._local() - skew < self._latest - MAX_STANDSTILL_MS:
            self._latest = 0
