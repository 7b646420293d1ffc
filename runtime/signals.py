"""Signals that ask a process to exit."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ALWAYS = ("SIGTERM",)
UNLESS_IGNORED = ("SIGINT", "SIGHUP")  # a script starts `job &` with SIGINT ignored, nohup ignores SIGHUP


def exit_signals() -> list[signal.Signals]:
    """Return the signals that end this process. SIGINT and SIGHUP do not if the parent process ignored them."""
    numbers = [signal.Signals[name] for name in UNLESS_IGNORED if hasattr(signal, name)]
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    return [signal.Signals[name] for name in ALWAYS] + heeded


@contextmanager
def calls_on_exit_signal(callback: Callable[[signal.Signals], object]) -> Iterator[None]:
    """Call back, within the block, when a signal asks this process to exit.

    Does nothing on Windows and outside the main thread, where an event loop cannot handle signals.
    """
    loop = asyncio.get_running_loop()
    handled = []
    try:
        for number in exit_signals():
            loop.add_signal_handler(number, callback, number)
            handled.append(number)
    except (NotImplementedError, ValueError, RuntimeError):
        pass
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
