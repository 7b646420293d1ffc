"""A time limit for the code of other authors."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

POLL_S = 0.05
THREAD = "limited in time"
Result = TypeVar("Result")


class Stopped(BaseException):
    """Raised in a thread that has used up its time."""


def within(cpu_s: float, timeout_s: float, work: Callable[[], Result]) -> Result:
    """Return the result of a function that runs in a thread of its own. Raises TimeoutError after a limit.

    The limits are the CPU time of the process and, for code that waits, the time that passes. The thread is stopped.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name=THREAD, daemon=True)
    cpu, wall = time.process_time(), time.monotonic()
    thread.start()
    thread.join(POLL_S)
    while thread.is_alive():
        if time.process_time() - cpu > cpu_s or time.monotonic() - wall > timeout_s:
            stop(thread)
            raise TimeoutError
        thread.join(POLL_S)
    if errors:
        raise errors[0]
    return results[0]


def stop(thread: threading.Thread) -> None:
    """Raise Stopped in a thread at its next line of Python."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Stopped))
