"""A flood of invitations to a house bot does not keep other players from it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from server.lobby.house_queue import RESERVED_PART
from tests.e2e.accounts import account
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest

Spawn = Callable[..., Awaitable[Any]]
PLACES = 20  # of the house bot `random`
GUESTS, ROOMS_EACH = 6, 4  # more rooms than places


@asynccontextmanager
async def guest(url: str, name: str, address: str) -> AsyncIterator[Guest]:
    """Connect a guest from an address."""
    client = await Guest.open(url, local_addr=(address, 0))
    try:
        await client.hello(name)
        yield client
    finally:
        await client.close()


async def new_game(client: Guest) -> str:
    """Create a room for the house bot, and wait until the game has started. Return the room."""
    room: str = (await client.ask("create", game="cohcoh", invite="random", seat=0))["room"]
    await client.find(type="started", room=room)
    return room


@pytest.mark.skipif(sys.platform != "linux", reason="needs further loopback addresses")
async def test_newcomer_plays_although_another_address_floods_a_house_bot(spawn: Spawn) -> None:
    server = await spawn(PARLOUR_HOUSE="random", PARLOUR_RATE="1000")
    async with AsyncExitStack() as stack:
        flood = [await stack.enter_async_context(guest(server.url, f"flood{n}", "127.0.0.1")) for n in range(GUESTS)]
        newcomer = await stack.enter_async_context(guest(server.url, "newcomer", "127.0.0.2"))
        other = await stack.enter_async_context(guest(server.url, "other", "127.0.0.3"))
        room = await new_game(newcomer)  # the bot is connected: it is invited to the rooms in their order
        await newcomer.ask("resign", room=room)
        for client in flood:
            for _ in range(ROOMS_EACH):
                await client.ask("create", game="cohcoh", invite="random", seat=0)
        await flood[0].find(type="started")
        for client in (newcomer, other, newcomer):  # the games of the flood never end
            room = await new_game(client)
            await client.ask("resign", room=room)
        await new_game(newcomer)
        running = (await other.ask("list", status="running"))["rooms"]
        assert len(running) == PLACES - PLACES // RESERVED_PART + 1


async def test_rematches_offered_at_once_do_not_take_all_places(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(house="search")
    bot = await connect_guest(server.url, token=await account(server, "search"), plays=["cohcoh"], concurrent=2)
    ann = await connect_guest(server.url, "ann")
    rooms = []
    for _ in range(2):
        room = (await ann.ask("create", game="cohcoh", invite="search", seat=0))["room"]
        await bot.find(type="invited")
        await bot.ask("join", room=room)
        await ann.ask("resign", room=room)
        rooms.append(room)
    for room in rooms:
        await ann.ask("rematch", room=room)
        await bot.find(type="rematch_offered", room=room)
    first, second = [await bot.send("rematch", room=room) for room in rooms]
    assert (await bot.answer(first))["type"] == "ok"
    assert (await bot.answer(second))["code"] == "too_many_rooms"
    assert (await ann.refused("rematch", room=rooms[1]))["code"] == "too_many_rooms"
