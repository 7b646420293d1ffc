"""How long something takes on a machine that now and then stands still."""

from __future__ import annotations

import asyncio
from time import monotonic

BEAT = 0.01  # seconds
LATE = 0.1  # seconds that a busy machine may be late; what is more was no time for anybody


class Stopwatch:
    """`async with Stopwatch() as watch`: the seconds since then in which the machine ran."""

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
            await asyncio.sleep(BEAT)
            late = monotonic() - before - BEAT
            if late > LATE:
                self.lost += late

    async def seconds(self) -> float:
        await asyncio.sleep(2 * BEAT)  # the beat that is on its way
        return monotonic() - self._began - self.lost
