"""The event loop that both ends run on: uvloop where it can be had, since a message costs half as much there."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """As asyncio.run does it."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(work)


def loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    """Elsewhere it is asyncio with a receive buffer that is not cleared for every message."""
    if sys.platform != "win32":
        with suppress(ImportError):
            import uvloop

            return uvloop.Loop
    from asyncio import selector_events

    selector_events._SelectorTransport.max_size = 16 * 1024  # type: ignore[attr-defined]
    return None
