"""Threads that read the database, each with a connection of its own, and a time limit for every read."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from time import monotonic
from typing import Any, TypeVar

from runtime.threads import in_thread, wrap_error
from server.storage.interface import ReadTimeout, Unavailable

READERS = 3
READ_TIMEOUT_S = 2.0
STEPS_PER_CHECK = 20_000  # of SQLite's virtual machine, about a millisecond: how often a read looks at the time

Result = TypeVar("Result")
Read = Callable[[sqlite3.Connection], Result]
Request = tuple[Future[Any], Read[Any], float | None]  # with the time limit in seconds


class Readers:
    """Reading threads. A slow read delays no other read until all threads are busy."""

    def __init__(self) -> None:
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle: list[sqlite3.Connection] = []  # the latest is used first: its cache is warm
        self._open = False

    async def open(self, first: sqlite3.Connection, connect: Callable[[], sqlite3.Connection]) -> None:
        """Use an open connection, open the others, and start the threads."""
        self._idle.append(first)
        for _ in range(READERS - 1):
            self._idle.append(await in_thread(connect))
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in self._idle]
        for thread in self._threads:
            thread.start()
        self._open = True

    def read(self, read: Read[Result], timeout_s: float | None = READ_TIMEOUT_S) -> asyncio.Future[Result]:
        """Run a function that reads, and return a future of its result. Cancelling it does not stop a read under way.

        The future raises ReadTimeout, or Unavailable if the database cannot be read. Raises RuntimeError before `open`
        and after `close`.
        """
        if not self._open:
            raise RuntimeError("the database is not open")
        future: Future[Result] = Future()
        self._requests.put((future, read, timeout_s))
        return asyncio.wrap_future(future)

    def _run(self) -> None:
        while (request := self._requests.get()) is not None:
            future, read, timeout_s = request
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(self._read(read, timeout_s))
            except BaseException as error:
                future.set_exception(wrap_error(error))

    def _read(self, read: Read[Result], timeout_s: float | None) -> Result:
        connection = self._idle.pop()  # never empty: there are as many connections as threads
        try:
            if timeout_s is not None:
                deadline = monotonic() + timeout_s
                connection.set_progress_handler(lambda: monotonic() > deadline, STEPS_PER_CHECK)
            return read(connection)
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise ReadTimeout() from None
            raise Unavailable(f"the database cannot be read: {error}") from None
        finally:
            connection.set_progress_handler(None, 0)
            self._idle.append(connection)

    async def close(self) -> None:
        """Close all connections, after the reads under way."""
        await in_thread(self._close)

    def _close(self) -> None:
        self._open = False
        for _ in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()
        while self._idle:
            self._idle.pop().close()


def fetch(sql: str, values: Sequence[Any], reader: sqlite3.Connection) -> list[Any]:
    """Return all rows of a query."""
    return reader.execute(sql, values).fetchall()
