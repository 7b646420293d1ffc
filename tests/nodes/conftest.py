"""Fixtures: nodes that share a real PostgreSQL and a real broker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import count
from typing import Any

import pytest

from bench.cluster.broker import Broker
from server.app import Running, running
from server.config import Settings
from server.rooms.timers import Now, now
from tests.e2e.conftest import connect_guest as connect_guest
from tests.waiting import until

Start = Callable[..., Awaitable[Running]]
_prefixes = count(1)


@pytest.fixture
def prefix() -> str:
    """Return a topic prefix that no other test uses."""
    return f"test{next(_prefixes)}/v1"


@pytest.fixture
async def start(database: str, broker: Broker, prefix: str) -> AsyncIterator[Start]:
    """Start a node with these settings, in this process."""
    async with AsyncExitStack() as stack:

        async def begin(clock: Now = now, **settings: Any) -> Running:
            usual = {"db": database, "bus": broker.url, "bus_prefix": prefix, "sweep": 0.1, "watch_tick": 0.0}
            chosen = Settings(port=0, **{**usual, **settings})
            node = await stack.enter_async_context(running(chosen, clock))
            if chosen.bus:
                await until("the bus is up", lambda: node.app.bus.up)
            return node

        yield begin
