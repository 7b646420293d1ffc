"""Quick pairing across nodes: players move between waiting rooms, and house bots come from any node."""

from __future__ import annotations

import asyncio
import sys

import pytest

from protocol.codec import decode_part
from protocol.types import RoomInfo
from tests.e2e.accounts import account
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest
from tests.e2e.test_pairing import TERMS, check_redirect, rate, seek
from tests.nodes.conftest import Start
from tests.waiting import TIMEOUT_S, until


async def test_waiting_player_is_paired_with_one_on_another_node(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    await rate(left, old=1500, young=1620)
    old = await connect_guest(left.url, token=await account(left, "old"))
    young = await connect_guest(right.url, token=await account(left, "young"))
    with monkeypatch.context() as patch:
        patch.setattr("server.domain.pairing.is_close_enough", lambda *_: False)  # no opponent is close enough yet
        host, room = await seek(old), await seek(young)
    await check_redirect(young, room, old, host)


async def test_player_who_left_another_node_is_not_paired(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await seek(ann)
    ann.socket.transport.abort()
    await until("the room is evicted", lambda: room not in left.app.registry.rooms)
    assert await seek(ben) != room


async def test_house_bot_of_another_node_is_invited(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(house="none"), await start(house="greedy")
    greedy = await connect_guest(right.url, token=await account(left, "greedy"), plays=["cohcoh"])
    await until("the bot is listed", lambda: bool(left.app.feed.bots()))
    ann = await connect_guest(left.url, "ann")
    room = await seek(ann, bot_after=0)
    assert (await greedy.find(type="invited"))["room"]["room"] == room
    await greedy.ask("join", room=room)
    await ann.find(type="started", room=room)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a second loopback address")
async def test_newcomer_plays_although_an_address_at_another_node_floods_a_house_bot(
    start: Start, connect_guest: ConnectGuest
) -> None:
    left, right = await start(house="none"), await start(house="greedy")
    greedy = await connect_guest(right.url, token=await account(left, "greedy"), plays=["cohcoh"], concurrent=2)
    flood = [await connect_guest(left.url, f"flood{n}") for n in range(4)]
    rooms = [(await guest.ask("create", game="cohcoh", invite="greedy", seat=0))["room"] for guest in flood]
    newcomer = await Guest.open(left.url, local_addr=("127.0.0.2", 0))
    try:
        await newcomer.hello("newcomer")
        mine = (await newcomer.ask("create", game="cohcoh", invite="greedy", seat=0))["room"]
        for room in (rooms[0], mine):
            assert (await greedy.find(type="invited"))["room"]["room"] == room
            await greedy.ask("join", room=room)
        await newcomer.find(type="started", room=mine)
    finally:
        await newcomer.close()


async def test_every_player_is_paired_exactly_once(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.domain.pairing.RATING_GAP_PER_SECOND", 2000)
    nodes = [await start(sweep=0.02), await start(sweep=0.02)]
    ratings = {f"m{n}": 1000 + 137 * n % 1000 for n in range(11)}
    await rate(nodes[0], **ratings)
    guests = [
        await connect_guest(nodes[n % 2].url, token=await account(nodes[0], name)) for n, name in enumerate(ratings)
    ]
    ids = [await guest.send("pair", **TERMS, rated=True) for guest in guests]
    for guest, id in zip(guests, ids, strict=True):
        assert (await guest.answer(id))["type"] == "ok"
    store = nodes[0].app.store

    async def seats(status: str) -> list[str]:
        infos = [decode_part(data, RoomInfo) for data in await store.rooms("", status, 99)]
        return [seat.name for info in infos for seat in info.seats if seat is not None]

    async with asyncio.timeout(TIMEOUT_S):
        while len(await seats("running")) < 10:  # noqa: ASYNC110  # polls the store
            await asyncio.sleep(0.01)
    playing = await seats("running")
    assert len(set(playing)) == len(playing) == 10
    assert {*playing, *await seats("waiting")} == set(ratings)
