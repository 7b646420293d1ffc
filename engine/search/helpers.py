"""Threads that help the first thread of a search.

The first thread begins each search alone. If the search is long, the helpers join: every thread searches the same
position to the same depth within the same window, and the first that is finished has the result. The threads work
together only through the table and the marks of busy moves (tree.py).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from engine.search.worker import Task, Worker


class Helpers:
    """Helper threads of one driver. Use as a context manager: the threads end with the block."""

    def __init__(self, workers: list[Worker], table: Callable[[], Any]) -> None:
        self.workers = workers
        self._table = table
        self._threads: list[threading.Thread] = []
        self._changed = threading.Condition()
        self._joined = False  # the helpers take part in the current search
        self._ending = False
        self._running = 0  # helpers that are inside the kernel
        self._done: Worker | None = None

    def __enter__(self) -> Helpers:
        self._ending = False
        return self

    def __exit__(self, *error: object) -> None:
        with self._changed:
            self._joined, self._ending = False, True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def join(self, task: Task) -> None:
        """Let the helpers join a search, if they have not."""
        if self._joined or not self.workers:
            return
        for worker in self.workers:
            worker.begin(task)
        if not self._threads:
            self._threads = [threading.Thread(target=self._help, args=(worker,)) for worker in self.workers]
            for thread in self._threads:
                thread.start()
        with self._changed:
            self._joined, self._done = True, None
            self._changed.notify_all()

    def leave(self) -> None:
        """Wait until no helper takes part in the current search any more."""
        if self._joined:
            with self._changed:
                self._joined = False
                self._changed.wait_for(lambda: not self._running)

    @property
    def finished(self) -> Worker | None:
        """The helper that has finished the current search, or None."""
        return self._done if self._joined else None

    def _help(self, worker: Worker) -> None:
        """Search whenever the helpers have joined a search."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ending or (self._joined and self._done is None))
                if self._ending:
                    return
                self._running += 1
            finished = worker.run(self._table(), worker.slice_nodes)
            with self._changed:
                self._running -= 1
                if finished and self._done is None:
                    self._done = worker
                self._changed.notify_all()
