"""Watchers: late arrivals, delayed games, large numbers, slow readers."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit

import pytest

from server.app import Running
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.play import move, play, room_of
from tests.waiting import TIMEOUT_S

LONG = "x" * 12_000
FLOOD = {"rate": 1e5, "burst": 100_000, "text_length": 12_000, "chat_burst": 100_000, "chat_lines": 100_000}
MOVES = ["a1", "b1", "c1", "d1", "a3", "b3"]


async def test_late_watcher_gets_the_whole_game(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben, clock={"kind": "fischer", "base": 60000})
    await move(ann, room, 0, "a1", note="hm")
    await ann.ask("say", room=room, text="good luck")
    eve = await connect_guest(server.url, "eve", "json")
    await eve.ask("watch", room=room)
    snapshot = await eve.find(type="snapshot")
    assert [(played["move"], played.get("note")) for played in snapshot["moves"]] == [("a1", "hm")]
    assert snapshot["chat"][0]["text"] == "good luck"
    assert (snapshot.get("your_seat"), snapshot["running"], snapshot["left"][0]) == (
        None,
        1,
        snapshot["moves"][0]["left"][0],
    )
    assert [seat["name"] for seat in snapshot["seats"]] == ["ann", "ben"]


async def test_watch_after_a_seq_sends_only_the_missing_events(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1", "c1")
    answer = await eve.ask("watch", room=room, after=5)
    moved = [await eve.find(type="moved") for _ in range(2)]
    assert [event["seq"] for event in moved] == [6, 7]
    assert answer["seq"] == 7
    assert not eve.seen
    await eve.ask("watch", room=room, after=999)
    assert (await eve.find(type="snapshot"))["seq"] == 7


async def test_watcher_sees_all_games_that_end_within_one_tick(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.2)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    rooms = [await room_of(ann, ben) for _ in range(3)]
    for room in rooms:
        await eve.ask("watch", room=room)
    for room in rooms:
        await ann.ask("resign", room=room)
    for room in rooms:
        await eve.find(type="ended", room=room)


async def test_delay_hides_the_last_plies(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, delay=2)
    await eve.ask("watch", room=room)
    await play(ann, ben, room, *MOVES[:5])
    assert [(await eve.find(type="moved"))["ply"] for _ in range(3)] == [1, 2, 3]
    late = await connect_guest(server.url, "late")
    await late.ask("watch", room=room)
    assert (await late.find(type="snapshot"))["ply"] == 3
    await ben.ask("resign", room=room)
    assert (await eve.find(type="moved"))["ply"] == 4
    assert (await late.find(type="ended"))["winner"] == 0
    assert (await eve.find(type="moved"))["ply"] == 5


async def test_watchers_see_all_moves_in_order(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.02)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    crowd = [await connect_guest(server.url, f"w{n}", ("json", "msgpack")[n % 2]) for n in range(10)]
    for watcher in crowd:
        await watcher.ask("watch", room=room)
    await play(ann, ben, room, *MOVES)
    for watcher in crowd:
        assert [(await watcher.find(type="moved"))["ply"] for _ in MOVES] == [1, 2, 3, 4, 5, 6]


async def connect_stalled_watcher(server: Running, room: str) -> Guest:
    """Connect a watcher that stops reading. The buffers of the system are small, so that few messages fill them."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    parts = urlsplit(server.url)
    await asyncio.get_running_loop().sock_connect(raw, (parts.hostname, parts.port))
    guest = await Guest.open(server.url, sock=raw)
    await guest.hello("sleeper")
    for connection in server.app.server.connections:
        if connection.player is not None and connection.player.name == "sleeper":
            own = connection.transport.get_extra_info("socket")
            own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    await guest.ask("watch", room=room)
    await guest.find(type="snapshot")
    guest.socket.transport.pause_reading()
    return guest


async def test_stalled_watcher_is_disconnected_and_delays_no_client(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0, send_buffer=100_000, stall_timeout=0.3, **FLOOD)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    sleeper = await connect_stalled_watcher(server, room)
    await eve.ask("watch", room=room)
    live = server.app.registry.rooms[room]
    assert len(live.watchers) == 2
    async with asyncio.timeout(TIMEOUT_S):
        while len(live.watchers) == 2:  # chat fills buffers quickly
            await ann.ask("say", room=room, text=LONG)
            assert (await eve.find(type="said"))["text"] == LONG
    assert next(iter(live.watchers)).player.name == "eve"  # type: ignore[union-attr]
    assert server.app.metrics.turned_away["too slow to watch"] == 1
    sleeper.socket.transport.abort()
    assert all(client.backlog() <= 1_000_000 for client in server.app.server.connections)


@pytest.mark.parametrize("send_buffer", [2_000, 100_000])
async def test_watcher_that_recovers_gets_a_new_snapshot(
    start: Start, connect_guest: ConnectGuest, send_buffer: int
) -> None:
    server = await start(watch_tick=0.0, send_buffer=send_buffer, stall_timeout=60.0, **FLOOD)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    eve = await connect_stalled_watcher(server, room)
    live = server.app.registry.rooms[room]
    try:
        async with asyncio.timeout(TIMEOUT_S):
            while not live.lagging:
                await ann.ask("say", room=room, text=LONG)
        (client,) = live.lagging
        assert send_buffer < client.backlog() < send_buffer + 2 * len(LONG)
        seq = live.room.seq
    finally:  # without reading, the close handshake would hang
        eve.socket.transport.resume_reading()
    snapshot = await eve.find(type="snapshot")
    assert snapshot["seq"] >= seq
    await ann.ask("say", room=room, text="welcome back")
    assert (await eve.find(type="said", text="welcome back"))["seq"] == snapshot["seq"] + 1
    await eve.close()
