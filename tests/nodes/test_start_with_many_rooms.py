"""A node starts on a database with 20,000 running games, which another one is loading."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.cluster.broker import Broker
from bench.cluster.node import Node
from bench.processes import NO_LIMITS
from bench.start import SECRET, fill
from server.storage.factory import open_store
from tests.e2e.guest import Guest
from tests.waiting import until

pytestmark = pytest.mark.long
ROOMS = 20_000
CLIENTS = 8  # that watch all rooms, so that their node loads them
LOADED_FIRST = 1000  # rooms, before the second node starts
MAX_RATIO = 10.0  # of the second start to the first: both nodes compete for the cores

Begin = Callable[[], Coroutine[Any, Any, tuple[Node, float]]]


@pytest.fixture
async def begin(database: str, broker: Broker, prefix: str, tmp_path: Path) -> AsyncIterator[Begin]:
    """Start a node, and return it with the seconds that it took."""
    nodes: list[Node] = []

    async def start() -> tuple[Node, float]:
        node = Node(database, broker.url, "--bus-prefix", prefix, *NO_LIMITS, log=tmp_path / "nodes.log")
        nodes.append(node)
        began = time.monotonic()
        await asyncio.to_thread(node.start)
        return node, time.monotonic() - began

    yield start
    for node in nodes:
        await asyncio.to_thread(node.kill)


async def test_node_starts_while_another_one_loads_many_rooms(begin: Begin, database: str) -> None:
    await fill(database, 0, ROOMS)
    store = open_store(database)
    await store.open()
    rooms = await store.unfinished_rooms()
    await store.close()
    assert len(rooms) == ROOMS
    first, alone_s = await begin()
    loaded = 0
    async with watchers(first) as guests:

        async def watch(guest: Guest, some: list[str]) -> None:
            nonlocal loaded
            for room in some:
                await guest.ask("watch", room=room)
                guest.seen.clear()
                loaded += 1

        loading = asyncio.gather(*[watch(guest, rooms[n::CLIENTS]) for n, guest in enumerate(guests)])
        await until("rooms are loaded", lambda: loaded > LOADED_FIRST)
        second, while_loading_s = await begin()
        assert not loading.done()
        print(f"\na node starts alone in {alone_s:.1f} s, while another one loads rooms in {while_loading_s:.1f} s")
        guest = await Guest.open(second.url)
        assert len((await guest.hello(resume=SECRET))["rooms"]) == 1
        await guest.close()
        assert while_loading_s < MAX_RATIO * alone_s
        loading.cancel()
        await asyncio.gather(loading, return_exceptions=True)


@asynccontextmanager
async def watchers(node: Node) -> AsyncIterator[list[Guest]]:
    guests = [await Guest.open(node.url) for _ in range(CLIENTS)]
    try:
        for number, guest in enumerate(guests):
            await guest.hello(f"watcher{number}")
        yield guests
    finally:
        for guest in guests:
            guest.socket.transport.abort()
