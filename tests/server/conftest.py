"""Fixtures: a manual clock, and a server without sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.server.fakes import FaultyStore, Harness, ManualClock

Build = Callable[..., Awaitable[Harness]]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def build(tmp_path: Path, clock: ManualClock) -> AsyncIterator[Build]:
    """Build a server with these settings on an empty database; `shared` for a store of several nodes."""
    async with AsyncExitStack() as stack:

        async def open_harness(shared: bool = False, **settings: Any) -> Harness:
            store = FaultyStore(str(tmp_path / "parlour.db"), shared)
            await store.open()
            stack.push_async_callback(store.close)
            harness = Harness(store, clock, **settings)
            stack.push_async_callback(cancel_tasks, harness)
            return harness

        yield open_harness


async def cancel_tasks(harness: Harness) -> None:
    tasks = list(harness.app.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def server(build: Build) -> Harness:
    """Return a server with the default settings."""
    return await build()
