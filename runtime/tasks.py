"""A set of background tasks that one owner starts, and cancels when it closes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import suppress
from typing import Any


class BackgroundTasks:
    """Keep a reference to every running task; drop it when the task is done.

    An exception listed in `expected` ends a task quietly. Any other is reported by the event loop.
    """

    def __init__(self, *expected: type[BaseException]) -> None:
        self._expected = expected
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine in the background."""
        task = asyncio.create_task(self._run(work) if self._expected else work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._expected:  # a task cancelled before its first step leaves the inner coroutine unawaited
            task.add_done_callback(lambda _: work.close())
        return task

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        with suppress(*self._expected):
            await work

    async def cancel(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __iter__(self) -> Iterator[asyncio.Task[None]]:
        return iter(tuple(self._tasks))
