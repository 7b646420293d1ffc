"""Work off the event loop, in daemon threads: one that never returns holds nobody up.

A thread that is done waits for more, since starting one costs more than many a bot's whole thought.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[], None]
MOST_IDLE = 8

_idle: list[SimpleQueue[Job]] = []  # where threads wait that have nothing to do


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        else:
            future.set_exception(error)

    def job() -> None:
        result: T | None = None
        failed: Exception | None = None
        try:
            result = work()
        except BaseException as error:
            failed = carried(error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failed)

    jobs().put(job)
    return future


def carried(error: BaseException) -> Exception:
    """What went wrong, without what would mean something else to whoever waits."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration | TimeoutError):
        return error
    failed = RuntimeError(f"{type(error).__name__} {error}".strip())
    failed.__cause__ = error
    return failed


def jobs() -> SimpleQueue[Job]:
    """The queue of a thread that waits, or of a new one."""
    with suppress(IndexError):
        return _idle.pop()
    queue: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=work_off, args=(queue,), daemon=True).start()
    return queue


def work_off(queue: SimpleQueue[Job]) -> None:
    while True:
        queue.get()()
        if len(_idle) >= MOST_IDLE:
            return
        _idle.append(queue)
