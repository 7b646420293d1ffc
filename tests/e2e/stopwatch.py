"""Measure time on a machine that may stall."""

from __future__ import annotations

import asyncio
from time import monotonic

BEAT_S = 0.01
MAX_DELAY_S = 0.1  # a beat that is later than this was a stall, and its time does not count


class Stopwatch:
    """Count the seconds in which the machine ran: `async with Stopwatch() as watch`."""

    def __init__(self) -> None:
        self._began = monotonic()
        self.lost = 0.0

    async def __aenter__(self) -> Stopwatch:
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._beating.cancel()

    async def _beat(self) -> None:
        while True:
            before = monotonic()
            await asyncio.sleep(BEAT_S)
            late = monotonic() - before - BEAT_S
            if late > MAX_DELAY_S:
                self.lost += late

    async def seconds(self) -> float:
        await asyncio.sleep(2 * BEAT_S)  # wait for the current beat
        return monotonic() - self._began - self.lost
