"""Run work off the event loop in daemon threads, which never keep the process from exiting.

A finished thread waits for more work: starting a thread costs more than many bots need for a move.
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
MAX_IDLE_THREADS = 8

_idle: list[SimpleQueue[Job]] = []  # queues of idle threads


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run a function in a thread and return a future of its result.

    A cancelled future does not stop the function.
    """
    future, job = job_of(work)
    take_queue().put(job)
    return future


class ThreadPool:
    """A few threads that take work in the order in which it comes, with less overhead than an executor."""

    def __init__(self, max_threads: int) -> None:
        self._max_threads = max_threads
        self._threads: list[threading.Thread] = []
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False

    def run(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run a function as soon as a thread is free, and return a future of its result, as `in_thread` does.

        Raises RuntimeError after `close`.
        """
        if self._closed:
            raise RuntimeError("the thread pool is closed")
        future, job = job_of(work)
        self._jobs.put(job)
        if len(self._threads) < self._max_threads:
            thread = threading.Thread(target=self._run_jobs, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def close(self) -> None:
        """Wait until all work is done, and end the threads. Blocks."""
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _run_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def job_of(work: Callable[[], T]) -> tuple[asyncio.Future[T], Job]:
    """Return a future of the running loop, and a job for another thread that does the work and settles the future."""
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
            failed = wrap_error(error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, failed)

    return future, job


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
