"""Keep a child process running: start it, restart it after a delay whenever it exits, stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from runtime.backoff import Backoff
from runtime.child_process import Child, end

HEALTHY_AFTER_S = 30.0

C = TypeVar("C", bound=Child)


class Supervisor(Generic[C]):
    """One child process and its successors. A child that soon exits again is restarted later each time.

    `spawn` starts a child. `wait_ready`, if given, returns when the child is ready; otherwise it is ready at once. Both
    may raise one of `failures`: then the child is ended and started again. `on_exit` is called when a child has exited
    and `on_failure` when a restart has failed, both with the seconds until the next start.

    A child that ran for `healthy_after_s` resets the back-off. `grace_s` and `kill_timeout_s` are those of
    `child_process.end`.
    """

    def __init__(
        self,
        spawn: Callable[[], Awaitable[C]],
        backoff: Backoff,
        grace_s: float,
        *,
        wait_ready: Callable[[C], Awaitable[None]] | None = None,
        failures: tuple[type[Exception], ...] = (OSError,),
        on_exit: Callable[[C, float], None] | None = None,
        on_failure: Callable[[Exception, float], None] | None = None,
        kill_timeout_s: float | None = None,
        healthy_after_s: float = HEALTHY_AFTER_S,
    ) -> None:
        self._spawn, self._backoff, self._wait_ready, self._failures = spawn, backoff, wait_ready, failures
        self._on_exit, self._on_failure = on_exit, on_failure
        self._grace_s, self._kill_timeout_s, self._healthy_after_s = grace_s, kill_timeout_s, healthy_after_s
        self._task: asyncio.Task[None] | None = None
        self.child: C | None = None  # the latest child

    async def start(self) -> None:
        """Start the child, wait until it is ready, and watch it. Raises what `spawn` and `wait_ready` raise."""
        child = await self._launch()
        self._task = asyncio.create_task(self._run(child))

    def start_soon(self) -> None:
        """Start the child in the background, where a failure leads to another attempt, and watch it."""
        self._task = asyncio.create_task(self._run(None))

    async def stop(self, grace_s: float | None = None) -> None:
        """Stop watching and end the child. It can be started again. `grace_s` replaces that of the constructor."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self._end(self._grace_s if grace_s is None else grace_s)

    async def _run(self, child: C | None) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            try:
                child = child or await self._launch()
            except self._failures as error:
                delay = self._backoff.next()
                if self._on_failure is not None:
                    self._on_failure(error, delay)
            else:
                started = clock()
                await child.wait()
                if clock() - started > self._healthy_after_s:
                    self._backoff.reset()
                delay = self._backoff.next()
                if self._on_exit is not None:
                    self._on_exit(child, delay)
                child = None
            await asyncio.sleep(delay)

    async def _launch(self) -> C:
        child = self.child = await self._spawn()
        if self._wait_ready is not None:
            try:
                await self._wait_ready(child)
            except Exception:
                await self._end(self._grace_s)
                raise
        return child

    async def _end(self, grace_s: float) -> None:
        child, self.child = self.child, None
        if child is not None:
            await end(child, grace_s, self._kill_timeout_s)
