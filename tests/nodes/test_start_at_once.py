"""Nodes that start at the same time on one PostgreSQL database, after all nodes were down."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from protocol.codec import decode_event
from protocol.events import Resumed
from server.domain.downtime import Downtime
from server.storage.factory import open_store
from tests.server.fakes import Harness, ManualClock, RecordingClient
from tests.server.rooms.helpers import BLITZ, start_game

DOWN_MS = 45_000


async def test_games_are_resumed_once(database: str) -> None:
    clock = ManualClock()
    async with AsyncExitStack() as stack:

        async def node() -> Harness:
            store: Any = open_store(database)
            await store.open()
            stack.push_async_callback(store.close)
            return Harness(store, clock)

        before = await node()
        games = [(await start_game(before, clock=BLITZ))[0] for _ in range(5)]
        down_since = clock()
        await before.store.mark_alive(before.app.node_id, down_since)
        clock.advance(DOWN_MS)
        nodes = [await node() for _ in range(3)]
        await asyncio.gather(*[one.app.registry.start(one.app.node_id) for one in nodes])
        assert await before.store.downtimes() == [Downtime(down_since, clock())]
        for game in games:
            name, due = game.room.id, game.room.deadline
            assert due is not None
            loaded = await asyncio.gather(*[one.app.registry.find(name, RecordingClient()) for one in nodes])
            assert {live.room.deadline for live in loaded} == {due + DOWN_MS}
            events = [decode_event(payload) for payload in await before.store.events(name)]
            assert [type(event) for event in events].count(Resumed) == 1
