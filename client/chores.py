"""Work that goes on beside, as long as a connection lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Any

from client.errors import SessionError


class Chores:
    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        async def done() -> None:
            with suppress(SessionError):  # cut again: the next connection begins anew
                await work

        task = asyncio.create_task(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # it may have been cancelled before it began

    def __iter__(self) -> Iterator[asyncio.Task[None]]:
        return iter(self._tasks)
