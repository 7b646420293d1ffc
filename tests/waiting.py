"""Wait for conditions. The one time limit of all tests only ends a test that hangs: no busy machine reaches it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

TIMEOUT_S = 180.0


async def until(what: str, condition: Callable[[], object]) -> None:
    """Wait until a condition is true. Fails with the name of the condition."""
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < end, f"timeout: {what}"
        await asyncio.sleep(0.002)


def until_blocking(what: str, condition: Callable[[], object]) -> None:
    """Wait, in a test without an event loop, until a condition is true. Fails with the name of the condition."""
    end = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < end, f"timeout: {what}"
        time.sleep(0.005)


async def settle() -> None:
    """Let the event loop work until all tasks wait for something else than each other."""
    for _ in range(50):
        await asyncio.sleep(0)
