"""Run work off the event loop in daemon threads, which never keep the process from exiting.

A finished thread waits for more work: starting a thread costs more than many bots need for a move.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[], None]
MAX_IDLE_THREADS = 8

_idle: list[SimpleQueue[Job]] = []  # queues of idle threads


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run a function in a thread and return a future of its result.

    A cancelled future does not stop the function.
    """
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    take_queue().put(partial(run_into, future, work))
    return future


def run_into(future: asyncio.Future[T], work: Callable[[], T]) -> None:
    """Run a function in this thread, and give its result or error to a future of a loop in another thread."""
    try:
        result = work()
    except BaseException as error:
        deliver(future, None, error)
    else:
        deliver(future, result)


def deliver(future: asyncio.Future[T], result: T | None, error: BaseException | None = None) -> None:
    """Give a result or an error to a future of a loop in another thread."""
    failed = None if error is None else wrap_error(error)
    with suppress(RuntimeError):  # the loop is closed
        future.get_loop().call_soon_threadsafe(settle, future, result, failed)


def settle(future: asyncio.Future[T], result: T | None, error: Exception | None) -> None:
    """Set the result or the error of a future, unless it was cancelled."""
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)  # type: ignore[arg-type]
    else:
        future.set_exception(error)


def wrap_error(error: BaseException) -> Exception:
    """Return the error, wrapped if asyncio would give it another meaning (StopIteration, TimeoutError)."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration | TimeoutError):
        return error
    failed = RuntimeError(f"{type(error).__name__} {error}".strip())
    failed.__cause__ = error
    return failed


def take_queue() -> SimpleQueue[Job]:
    """Return the queue of an idle thread, or of a new one."""
    with suppress(IndexError):
        return _idle.pop()
    queue: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=run_jobs, args=(queue,), daemon=True).start()
    return queue


def run_jobs(queue: SimpleQueue[Job]) -> None:
    """Run jobs until enough other threads are idle."""
    while True:
        queue.get()()
        if len(_idle) >= MAX_IDLE_THREADS:
            return
        _idle.append(queue)
