"""Rare cases: lag credit, claims, restarts, delayed rooms, floods, event loop lag."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from tests.e2e.clock import Clock
from tests.e2e.conftest import ConnectGuest, Spawn, Start
from tests.e2e.faults import Unread
from tests.e2e.local_server import until
from tests.e2e.play import move, play, room_of

FISCHER = {"kind": "fischer", "base": 60_000}


async def test_network_lag_is_credited(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock, ping_interval=1000.0)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben, clock=FISCHER)
    (peer,) = server.app.presence.named("ann")
    await until("the first ping is answered", lambda: peer.latency > 0)
    peer.latency = 0.3
    clock.pass_at_work(server.app.status, 1)
    moved = await move(ann, room, 0, "a1")
    assert moved["took"] >= 1000
    assert moved["took"] - moved["charged"] == 300


async def test_player_who_stays_away_loses_by_a_claim(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await ann.ask("move", room=room, ply=0, move="a1")
    ben.socket.transport.abort()
    await ann.find(type="presence", online=False)
    clock.pass_by((await ann.refused("claim", room=room))["retry_after"] + 0.1)
    await ann.ask("claim", room=room)
    ended = await ann.find(type="ended", room=room)
    assert (ended["result"], ended["winner"]) == ("1-0", 0)


async def test_drain_flushes_watchers(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=1000.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    await eve.ask("watch", room=room)
    await move(ann, room, 0, "a1")
    await server.app.server.drain()
    assert (await eve.find(type="moved"))["move"] == "a1"


async def test_watcher_continues_after_a_killed_server(spawn: Spawn, connect_guest: ConnectGuest) -> None:
    first = await spawn()
    ann, ben, eve = [await connect_guest(first.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, clock=FISCHER)
    await eve.ask("watch", room=room)
    await play(ann, ben, room, "a1", "b1")
    seen = (await eve.find(type="moved", ply=1))["seq"]
    await first.kill()
    second = await spawn()
    again = await connect_guest(second.url, resume=eve.session)
    last = (await again.ask("watch", room=room, after=seen))["seq"]
    events = [await again.find(room=room, seq=seq) for seq in range(seen + 1, last + 1)]
    assert (events[0]["type"], events[0]["move"]) == ("moved", "b1")
    assert not [message for message in again.seen if message["type"] == "snapshot"]


async def test_delayed_room_sends_no_hidden_events_on_request(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, delay=2)
    await play(ann, ben, room, "a1", "b1", "c1")
    answer = await eve.ask("watch", room=room, after=1)
    await eve.ask("list")
    assert [message["ply"] for message in eve.seen if message["type"] == "moved"] == [1]
    assert answer["seq"] == max(message["seq"] for message in eve.seen)
    assert (await eve.ask("say", room=room, text="how far are they?"))["seq"] == answer["seq"]


async def test_private_games_are_exported_to_their_players_only(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, private=True)
    await move(ann, room, 0, "a1")
    await ben.ask("resign", room=room)
    assert "a1" in (await ben.ask("export", room=room))["text"]
    assert (await eve.refused("export", room=room))["code"] == "bad_code"


async def test_client_that_does_not_read_the_lobby_is_disconnected(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(lobby_tick=0.01)
    ann, eve = await connect_guest(server.url, "ann"), await connect_guest(server.url, "eve")
    await eve.ask("lobby", on=True)
    (peer,) = server.app.presence.named("eve")
    peer.transport = Unread(peer.transport)  # type: ignore[attr-defined]
    await ann.ask("create", game="conga")
    await eve.closed()
    assert server.app.metrics.turned_away["too slow for the lobby"] == 1


async def test_too_many_messages_behind_a_slow_one_close_the_connection(
    start: Start, connect_guest: ConnectGuest, monkeypatch: Any
) -> None:
    server = await start(rate=1e6, burst=100_000)
    ann = await connect_guest(server.url, "ann")

    late = asyncio.Event()

    async def rooms(*_: Any) -> list[bytes]:
        await late.wait()
        return []

    monkeypatch.setattr(server.app.store, "rooms", rooms)
    for _ in range(202):
        await ann.send("list")
    assert await ann.closed() == 1008
    assert ann.socket.close_reason == "too many messages at once"
    late.set()


async def test_event_loop_lag_is_measured(start: Start) -> None:
    server = await start(sweep=0.05)

    def block_and_look() -> bool:
        time.sleep(0.2)  # blocks the event loop
        return server.app.metrics.loop_lag > 0.1

    await until("the lag is measured", block_and_look)


async def test_rooms_of_the_same_second_are_listed_newest_first(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann = await connect_guest(server.url, "ann")
    rooms = []
    for _ in range(8):
        rooms.append((await ann.ask("create", game="cohcoh"))["room"])
        clock.pass_by(0.002)
    assert [info["room"] for info in (await ann.ask("list"))["rooms"]] == rooms[::-1]
