"""Nodes, the broker and the database fail during games: all games finish and no move is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import aiomqtt
import pytest

from bench.cluster.balancer import Balancer
from bench.cluster.broker import Broker, available
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from protocol.codec import decode_event
from protocol.events import Ended, Moved
from server.cluster import node as cluster_node
from server.storage.postgres.store import PostgresStore
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start
from tests.nodes.player import Match
from tests.waiting import TIMEOUT_S, until

EXPIRY_S = 3  # of rooms that have not started
FLAGS = (
    "--rate", "1e6", "--burst", "1000000", "--log-level", "error", "--sweep", "0.2", "--expiry", str(EXPIRY_S)
)  # fmt: skip


@pytest.fixture
async def nodes(database: str, broker: Broker, prefix: str) -> AsyncIterator[list[Node]]:
    """Two nodes as processes."""
    both = [Node(database, broker.url, "--bus-prefix", prefix, *FLAGS) for _ in range(2)]
    for node in both:
        node.launch()
    for node in both:
        await asyncio.to_thread(node.wait)
    yield both
    for node in both:
        await asyncio.to_thread(node.kill)


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    store = PostgresStore(database, pool=1)
    await store.open()
    yield store
    await store.close()


async def history(store: PostgresStore, room: str) -> list[str]:
    """Return the stored moves of a room. Its seqs must have no gaps."""
    events = [decode_event(payload) for payload in await store.events(room)]
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert sum(isinstance(event, Ended) for event in events) == 1
    return [event.move for event in events if isinstance(event, Moved)]


async def kill_nodes_during_games(nodes: list[Node], store: PostgresStore, games: int, kills: int, think: float) -> int:
    balancer = Balancer([node.port for node in nodes])
    await balancer.start()
    matches = [Match((balancer.url, balancer.url), n, (0.0, 2 * think)) for n in range(games)]
    for match in matches:
        await match.open()
    for match in matches:
        match.start()
    try:
        for kill in range(kills):
            assert not all(match.over for match in matches), f"all games were over before kill {kill + 1}"
            victim = nodes[kill % 2]
            played = sum(len(player.acknowledged) for match in matches for player in match.players)
            await until("moves are played", lambda played=played: moves_of(matches) > played + games)  # type: ignore[misc]
            await asyncio.to_thread(victim.kill)
            await asyncio.to_thread(victim.start)
        while not all(match.over for match in matches):  # it may take long, but there must be progress
            known = sum(len(player.moves) for match in matches for player in match.players)
            await until("games go on", lambda known=known: progress(matches, known))  # type: ignore[misc]
        for match in matches:
            assert match.task is not None
            await match.task
        for match in matches:
            match.check(await history(store, match.players[0].room))
    finally:
        for match in matches:
            if match.task is not None:
                match.task.cancel()
        await balancer.close()
    return sum(player.times_back for match in matches for player in match.players)


def progress(matches: list[Match], known: int) -> bool:
    moves = sum(len(player.moves) for match in matches for player in match.players)
    return moves != known or all(match.over for match in matches)


def moves_of(matches: list[Match]) -> int:
    return sum(len(player.acknowledged) for match in matches for player in match.players)


async def test_games_finish_although_nodes_are_killed(
    nodes: list[Node], store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "OPTIONS", {"n": 8, "k": 8})  # longer than a node needs to start
    assert await kill_nodes_during_games(nodes, store, games=6, kills=2, think=0.05) > 12


@pytest.mark.long
async def test_fifty_games_finish_although_nodes_are_killed_twenty_times(
    nodes: list[Node], store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "OPTIONS", {"n": 12, "k": 12})
    assert await kill_nodes_during_games(nodes, store, games=50, kills=20, think=0.4) > 500


async def test_flag_falls_although_the_node_is_dead(
    nodes: list[Node], store: PostgresStore, connect_guest: ConnectGuest
) -> None:
    """Both players were on the dead node. The other node has never seen the room, and ends it."""
    ann, ben = await connect_guest(nodes[0].url, "ann"), await connect_guest(nodes[0].url, "ben")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 3000})
    moved = await move(ann, room, 0, "a1")
    await asyncio.to_thread(nodes[0].kill)
    end = await wait_for_end(store, room)
    assert end.reason == "time"
    assert end.at >= moved["at"] + 3000


async def test_waiting_room_expires_although_its_node_is_dead(
    nodes: list[Node], store: PostgresStore, connect_guest: ConnectGuest
) -> None:
    ann = await connect_guest(nodes[0].url, "ann")
    room = (await ann.ask("create", game="conga", options={}, clock={"kind": "none"}))["room"]
    await asyncio.to_thread(nodes[0].kill)
    end = await wait_for_end(store, room)
    created = decode_event((await store.events(room))[0])
    assert end.reason == "aborted"
    assert end.at >= created.at + EXPIRY_S * 1000


async def wait_for_end(store: PostgresStore, room: str) -> Ended:
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            last = decode_event((await store.events(room))[-1])
            if isinstance(last, Ended):
                return last
            await asyncio.sleep(0.02)


async def test_players_of_a_dead_node_are_away(
    nodes: list[Node], start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_node, "NODE_TIMEOUT_MS", 1000)
    here = await start()
    ann, ben = await connect_guest(nodes[0].url, "ann"), await connect_guest(here.url, "ben")
    room = await room_of(ann, ben)
    await asyncio.to_thread(nodes[0].kill)
    assert not (await ben.find(type="presence", seat=0)).get("online", False)
    back = await connect_guest(here.url, resume=ann.session)
    await back.find(type="snapshot", room=room)
    assert (await ben.find(type="presence", seat=0))["online"]
    await move(back, room, 0, "a1")


@pytest.mark.parametrize("kind", available() or ["nats"])
async def test_games_continue_while_the_broker_is_down(
    kind: str, start: Start, connect_guest: ConnectGuest, prefix: str
) -> None:
    """Games between nodes continue more slowly. After the outage the broker has the current state."""
    broker = Broker(kind)
    await asyncio.to_thread(broker.start)
    try:
        left, right = await start(bus=broker.url), await start(bus=broker.url)
        buses = [node.app.bus for node in (left, right)]
        ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
        room = await room_of(ann, ben)
        await play(ann, ben, room, "a1", "b1")
        await asyncio.to_thread(broker.kill)
        await until("the bus is down", lambda: not any(bus.up for bus in buses))
        for ply, (guest, other, text) in enumerate([(ann, ben, "c1"), (ben, ann, "d1")], 2):
            await move(guest, room, ply, text)
            await other.find(type="moved", ply=ply + 1)
        await until("both nodes have lost messages", lambda: all(bus.lost for bus in buses))
        await asyncio.to_thread(broker.start)
        await until("the bus is up", lambda: all(bus.up for bus in buses))
        state = await wait_for_state(broker, f"{prefix}/rooms/{room}/state", 4)
        assert b'"d1"' in state  # played while the broker was down
        await move(ann, room, 4, "a2")
        await ben.find(type="moved", ply=5)
    finally:
        await asyncio.to_thread(broker.close)


async def wait_for_state(broker: Broker, topic: str, ply: int) -> bytes:
    """Return the retained state as soon as it has this ply."""
    async with aiomqtt.Client("127.0.0.1", broker.port) as client, asyncio.timeout(TIMEOUT_S):
        await client.subscribe(topic)
        async for message in client.messages:
            if isinstance(message.payload, bytes) and f'"ply":{ply},'.encode() in message.payload:
                return message.payload
    raise AssertionError("unreachable")


async def test_events_that_the_bus_lost_are_read_from_the_store(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bus is up but loses everything. Nodes check the store for the rooms of their clients now and then."""
    monkeypatch.setattr(cluster_node, "ROOM_CHECK_INTERVAL_MS", 200)
    left, right = await start(), await start(bus_prefix="somewhere/else")
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = (await ann.ask("create", game="cohcoh", seat=0))["room"]
    await ben.ask("join", room=room)
    await ann.find(type="started")
    await play(ann, ben, room, "a1", "b1", "c1")


async def test_game_continues_after_a_database_restart(
    start: Start, connect_guest: ConnectGuest, postgres: Postgres
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    await asyncio.to_thread(postgres.stop)
    try:
        refused = await ann.refused("move", room=room, ply=2, move="c1")
        assert (refused["code"], refused["retry_after"] > 0) == ("unavailable", True)
        assert (await ben.refused("create", game="conga"))["code"] == "unavailable"
    finally:
        await asyncio.to_thread(postgres.start)
    await move_with_retries(ann, room, 2, "c1")
    assert (await ben.find(type="moved", ply=3))["move"] == "c1"
    await move_with_retries(ben, room, 3, "d1")
    await ann.find(type="moved", ply=4)
    assert not any(message["type"] == "presence" for message in (*ann.seen, *ben.seen))


async def move_with_retries(guest: Guest, room: str, ply: int, text: str) -> None:
    """Play a move, and retry while the server is unavailable."""
    async with asyncio.timeout(TIMEOUT_S):
        for _ in count():
            answer = await guest.answer(await guest.send("move", room=room, ply=ply, move=text))
            if answer["type"] == "ok":
                return
            assert answer["code"] == "unavailable"
            await asyncio.sleep(0.05)
