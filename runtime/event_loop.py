"""The event loop of server and client: uvloop where available, which halves the cost of a message."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, as asyncio.run does."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(work)


def loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop, or None for asyncio's with a smaller receive buffer, which is cheaper to clear."""
    if sys.platform != "win32":
        with suppress(ImportError):
            import uvloop

            return uvloop.Loop
    from asyncio import selector_events

    selector_events._SelectorTransport.max_size = 16 * 1024  # type: ignore[attr-defined]
    return None
