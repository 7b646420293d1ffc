"""Clients that send too much, read too little, or never close."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidMessage, InvalidStatus
from websockets.typing import Subprotocol

from server import app
from server.config import Settings
from server.transport import listener
from server.transport.ip_limits import EXTRA_CONNECTIONS
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.faults import Unread
from tests.e2e.guest import Guest
from tests.e2e.local_server import until
from tests.e2e.play import room_of
from tests.waiting import TIMEOUT_S

PING, START, CONTINUE = b"\x89\x80" + bytes(4), b"\x02\x80" + bytes(4), b"\x00\x80" + bytes(4)  # empty frames


@pytest.mark.parametrize("flood", [PING * 50_000, START + CONTINUE * 50_000], ids=["pings", "fragments"])
async def test_flood_of_tiny_frames_is_cut_off_early(start: Start, connect_guest: ConnectGuest, flood: bytes) -> None:
    server = await start()
    ann, mallory = await connect_guest(server.url, "ann"), await connect_guest(server.url, "mallory")
    (peer,) = server.app.presence.named("mallory")
    read: list[int] = []
    process, parsed = peer.process_event, read.append  # type: ignore[attr-defined]
    peer.process_event = lambda event: (parsed(1), process(event))  # type: ignore[attr-defined]
    mallory.socket.transport.write(flood)
    assert await mallory.closed() == 1008
    assert len(read) < 1000
    await ann.ask("list")


async def test_number_of_fragments_is_limited_at_any_rate(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(rate=1e6, burst=10_000)
    mallory = await connect_guest(server.url, "mallory")
    mallory.socket.transport.write(START + CONTINUE * 200)
    assert await mallory.closed() == 1008


async def test_a_few_pings_are_answered(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    for _ in range(20):
        await (await ann.socket.ping())
    await ann.ask("list")


async def test_client_that_does_not_close_is_aborted(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    ann.socket.transport.pause_reading()  # the client never reads the close frame
    ann.socket.transport.write(b"\x83\x80" + bytes(4))  # a reserved opcode
    await until("the connection is aborted", lambda: not server.app.server.connections)


async def test_connection_without_a_request_does_not_delay_the_shutdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "OPEN_TIMEOUT_S", 3600.0)
    settings = Settings(port=0, db=str(tmp_path / "parlour.db"), hello_timeout=3600.0)
    async with asyncio.timeout(TIMEOUT_S), app.running(settings) as server:
        host, port = server.url.removeprefix("ws://").removesuffix("/ws").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        await until("the connection is accepted", lambda: bool(server.app.server.handshaking))
    with suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()


async def test_connections_without_a_request_count_for_their_address(start: Start) -> None:
    server = await start(connections_per_address=2)
    host, port = server.url.removeprefix("ws://").removesuffix("/ws").split(":")
    streams = [await asyncio.open_connection(host, int(port)) for _ in range(40)]
    await until("most are aborted", lambda: server.app.metrics.turned_away["address"] == 40 - 2 - EXTRA_CONNECTIONS)
    assert len(server.app.server.handshaking) == 2 + EXTRA_CONNECTIONS
    with pytest.raises((InvalidMessage, InvalidStatus, ConnectionError)):
        await Guest.open(server.url)
    for _, writer in streams:
        writer.close()
    await until("the connections are removed", lambda: not server.app.server.handshaking)
    await (await Guest.open(server.url)).close()


async def test_rooms_of_an_arbiter_count_even_if_the_arbiter_does_not_watch(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start(rooms_per_player=3)
    ann = await connect_guest(server.url, "ann")
    for _ in range(3):
        room = (await ann.ask("create", game="conga", players=["ben", "cy"]))["room"]
        await ann.ask("leave", room=room)
    assert (await ann.refused("create", game="conga", players=["ben", "cy"]))["code"] == "too_many_rooms"


async def test_ended_rooms_are_not_kept_in_memory_for_watchers(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, eve = (
        await connect_guest(server.url, "ann"),
        await connect_guest(server.url, "ben"),
        await connect_guest(server.url, "eve"),
    )
    rooms = []
    for _ in range(4):
        rooms.append(await room_of(ann, ben))
        await ann.ask("resign", room=rooms[-1])
    private = (await ann.ask("create", game="conga", private=True))["room"]
    await ann.ask("abort", room=private)
    await ann.close()
    await ben.close()
    await until("the rooms are unloaded", lambda: not server.app.registry.rooms)
    for room in rooms:
        assert (await eve.refused("join", room=room))["code"] in ("game_over", "seat_taken", "not_running")
    assert (await eve.refused("watch", room=private))["code"] == "bad_code"
    assert not server.app.registry.rooms
    for room in rooms:
        await eve.ask("watch", room=room)
    assert list(server.app.registry.rooms) == [rooms[-1]]


async def test_unread_compressed_messages_are_limited(start: Start) -> None:
    server = await start(deflate=True)
    slow = Guest(await connect(server.url, subprotocols=[Subprotocol("parlour.v1.json")]), "json")
    await slow.hello("slow")
    (peer,) = server.app.server.connections
    peer.transport = Unread(peer.transport)  # type: ignore[assignment]
    await slow.send("list")
    await slow.closed()
    assert server.app.metrics.turned_away["too slow"] == 1
