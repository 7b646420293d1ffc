"""What subscribers get from the broker: events, retained state, and nothing private."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiomqtt
import msgpack
import pytest

from bench.cluster.broker import Broker, available
from bench.cluster.node import Node
from server.cluster.mqtt.bus import MAX_RECEIVED_BYTES, MqttBus
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import play, room_of
from tests.nodes.conftest import Start
from tests.server.domain.helpers import play as moved
from tests.server.domain.helpers import running
from tests.waiting import TIMEOUT_S, until

pytestmark = pytest.mark.parametrize("broker", available() or ["nats"], indirect=True)


class Reader:
    """A subscriber that uses only aiomqtt."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.seen: list[tuple[str, bytes]] = []

    async def next(self, ending: str) -> Any:
        """Return the next message on a topic with this ending, None if it was deleted."""
        async with asyncio.timeout(TIMEOUT_S):
            async for message in self.client.messages:
                assert isinstance(message.payload, bytes)
                self.seen.append((str(message.topic), message.payload))
                if str(message.topic).endswith(ending):
                    return json.loads(message.payload) if message.payload else None
        raise AssertionError("unreachable")


@asynccontextmanager
async def subscribe(broker: Broker, *topics: str) -> AsyncIterator[Reader]:
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for topic in topics:
            await client.subscribe(topic)
        yield Reader(client)


async def test_events_and_state_of_a_match_are_published(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str
) -> None:
    node = await start()
    ann, ben = await connect_guest(node.url, "ann"), await connect_guest(node.url, "ben", "json")
    room = await room_of(ann, ben, "cohcoh")
    async with subscribe(broker, f"{prefix}/rooms/+/events") as reader:
        await play(ann, ben, room, "a1", "b1")
        for ply in (1, 2):
            event = await reader.next(f"{room}/events")
            while event["type"] != "moved":
                event = await reader.next(f"{room}/events")
            assert (event["room"], event["ply"]) == (room, ply)
    async with subscribe(broker, f"{prefix}/rooms/{room}/state") as late:  # a late subscriber gets the current state
        state = await late.next("/state")
        while state["ply"] < 2:
            state = await late.next("/state")
        assert [played["move"] for played in state["moves"]] == ["a1", "b1"]
        assert state["your_seat"] is None


async def test_published_bytes_are_those_of_the_websocket(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str
) -> None:
    node = await start(bus_format="msgpack")
    ann, ben = await connect_guest(node.url, "ann"), await connect_guest(node.url, "ben")
    room = await room_of(ann, ben, "cohcoh")
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.subscribe(f"{prefix}/rooms/{room}/events")
        await ann.send("move", room=room, ply=0, move="a1")
        message = await asyncio.wait_for(anext(aiter(client.messages)), TIMEOUT_S)
        while msgpack.unpackb(message.payload)["type"] != "moved":
            message = await asyncio.wait_for(anext(aiter(client.messages)), TIMEOUT_S)
        data = b""
        while msgpack.unpackb(data or b"\x80").get("type") != "moved":
            raw = await asyncio.wait_for(ben.socket.recv(), TIMEOUT_S)
            assert isinstance(raw, bytes)
            data = raw
        assert message.payload == data


async def test_private_and_delayed_rooms_are_not_published(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    async with subscribe(broker, f"{prefix}/#") as reader:
        secret = await room_of(ann, ben, private=True)
        slow = await room_of(ann, ben, delay=4)
        for room in (secret, slow):
            await play(ann, ben, room, "a1", "b1")
        public = await room_of(ann, ben)
        await play(ann, ben, public, "c1", "d1")
        state = await reader.next(f"{public}/state")
        while state["ply"] < 2:
            state = await reader.next(f"{public}/state")
        topics = {topic for topic, _ in reader.seen}
        assert f"{prefix}/rooms/{public}/events" in topics
        assert not any(secret in topic or slow in topic for topic in topics)
        assert not any(b'"a1"' in payload or b'"code"' in payload for _, payload in reader.seen)
        assert not any(b"\xa2a1" in payload or b"\xa4code" in payload for _, payload in reader.seen)  # as msgpack
        assert any(topic.startswith(f"{prefix}/peers/to/") and secret.encode() in data for topic, data in reader.seen)
        await ann.ask("resign", room=slow)  # an ended game is public
        assert (await reader.next(f"{slow}/state"))["moves"][1]["move"] == "b1"


async def test_newer_lobby_entry_replaces_an_older_ply(start: Start, broker: Broker, prefix: str) -> None:
    node = await start()
    bus, room = node.app.bus, moved(running("cohcoh"), "a1")
    async with subscribe(broker, f"{prefix}/lobby") as reader:
        bus.show(room)
        bus.advance({room.id: 2})
        update = await reader.next("/lobby")
        assert (update["rooms"][0]["ply"], update["plies"]) == (1, {room.id: 2})
        bus.advance({room.id: 0, "r2": 5})
        bus.show(room)
        update = await reader.next("/lobby")
        assert (update["rooms"][0]["ply"], update["plies"]) == (1, {"r2": 5})
        bus.advance({room.id: 2})
        assert (await reader.next("/lobby"))["plies"] == {room.id: 2}


HOSTILE = [
    b"[" * 50_000,
    b'{"node": "x", "seqs": {"r": 1e999}}',
    b'{"node": "x", "seqs": {"r": ' + b"9" * 5000 + b"}}",
    b'{"node": "x", "seqs": []}',
    b'"node"',
    b"\xff\xfe",
    b" " * (MAX_RECEIVED_BYTES + 1) + b"{}",
]


@pytest.mark.parametrize("topic", ["calls", "peers", "nodes/x"])
async def test_hostile_message_does_not_stop_a_node_from_reading(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str, topic: str
) -> None:
    left, right = await start(), await start()
    bus, before = right.app.bus, right.app.bus.unreadable
    hostile = [payload for payload in HOSTILE if len(payload) < 1 << 20 or broker.kind != "nats"]
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for payload in hostile:
            await client.publish(f"{prefix}/{topic}", payload)
    await until("all are counted", lambda: bus.unreadable == before + len(hostile))
    assert bus.up
    heard: list[str] = []
    right.app.node.events_received = lambda room, *_: heard.append(room)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await ann.ask("move", room=room, ply=0, move="a1")
    await until("the move is heard", lambda: room in heard)  # from the broker, not from the periodic check of the store


async def test_failing_reader_shows_and_connects_again(start: Start, broker: Broker, prefix: str) -> None:
    node = await start()
    bus = node.app.bus
    assert isinstance(bus, MqttBus)
    assert bus._client is not None
    assert bus._client._path is not None

    def fail(*message: Any) -> None:
        raise RuntimeError("a bug")

    bus._client._path._paho.on_message = fail
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.publish(f"{prefix}/calls", b"{}")
        await until("the bus is down", lambda: not bus.up)
        await until("the bus is up", lambda: bus.up)
        before = bus.unreadable
        await client.publish(f"{prefix}/calls", b"{}")
        await until("it is counted", lambda: bus.unreadable == before + 1)


async def test_node_is_online_until_it_dies(database: str, broker: Broker, prefix: str) -> None:
    flags = ("--bus-prefix", prefix, "--log-level", "error")
    nodes = [Node(database, broker.url, *flags) for _ in range(2)]
    async with subscribe(broker, f"{prefix}/nodes/+") as reader:
        try:
            for node in nodes:
                await asyncio.to_thread(node.start)
            names = [(await reader.next(""))["node"] for _ in nodes]
            await asyncio.to_thread(nodes[0].kill)
            last = await reader.next("")
            assert (last["node"], last["online"]) == (names[0], False)
            await asyncio.to_thread(nodes[1].stop)
            assert await reader.next(names[1]) is None  # it has deleted its entry
        finally:
            for node in nodes:
                await asyncio.to_thread(node.kill)


async def test_nonsense_at_the_broker_does_no_harm(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    forged: list[tuple[str, object]] = [
        (
            f"rooms/{room}/events",
            {"type": "ended", "room": room, "seq": 99, "at": 1, "result": "1-0", "reason": "time"},
        ),
        (f"rooms/{room}/events", {"type": "lobby", "rooms": []}),
        (f"rooms/{room}/events", "moved"),
        ("lobby", {"type": "welcome"}),
        ("lobby", {"type": "lobby", "rooms": "many"}),
        ("calls", {"node": "x", "seqs": {room: 99, "nowhere": 5}}),
        ("calls", {"node": "x", "seqs": {room: "many"}}),
        ("calls", {"node": "x", "seqs": 7}),
        ("calls", [1, 2, 3]),
        ("calls", {"node": "x", "invite": "ben", "room": "nowhere"}),
        ("nodes/x", {"node": "x", "online": True, "bots": [1]}),
    ]
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for topic, message in forged:
            await client.publish(f"{prefix}/{topic}", json.dumps(message))
        await client.publish(f"{prefix}/rooms/{room}/events", b"\xff\x00not json")
    await play(ann, ben, room, "a1", "b1", "c1")
    assert not any(message["type"] == "ended" for message in (*ann.seen, *ben.seen))
    await until("both are up", lambda: left.app.bus.up and right.app.bus.up)
