"""Messages between nodes by a real broker: events travel, forged ones are refused, and the store fills gaps."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import Any

import aiomqtt
import pytest

from bench.cluster.broker import Broker, available
from bench.cluster.link import link_to_broker
from bench.cluster.node import Node
from server.app import Running
from server.cluster import node as cluster_node
from server.cluster.mqtt import client as client_of_broker
from server.cluster.mqtt import public_topics
from server.cluster.mqtt.bus import MqttBus
from server.cluster.mqtt.peers import Peers
from server.cluster.mqtt.public_topics import PublicTopics
from tests.e2e.conftest import ConnectGuest
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start
from tests.nodes.test_mqtt import subscribe
from tests.waiting import until

pytestmark = pytest.mark.parametrize("broker", available() or ["nats"], indirect=True)


def bus_of(node: Running) -> MqttBus:
    bus = node.app.bus
    assert isinstance(bus, MqttBus)
    return bus


def peers_of(node: Running) -> Peers:
    peers = bus_of(node)._peers
    assert peers is not None
    return peers


def count_reads(node: Running, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the rooms whose events a node reads from the store from now on."""
    reads: list[str] = []
    read = node.app.store.events

    async def events(room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        reads.append(room)
        return await read(room, after, limit)

    monkeypatch.setattr(node.app.store, "events", events)
    return reads


def record(node: Running, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bytes]]:
    """Return the messages that a node gets from the broker from now on."""
    got: list[tuple[str, bytes]] = []
    bus = bus_of(node)
    read = bus._read

    def received(topic: str, payload: bytes, retained: bool) -> None:
        got.append((topic, payload))
        read(topic, payload, retained)

    monkeypatch.setattr(bus, "_read", received)
    return got


async def follow_each_other(room: str, *nodes: Running) -> None:
    await until("all follow the room", lambda: all(peers_of(node)._followers.of(room) for node in nodes))


async def test_events_travel_to_nodes_with_the_room_and_to_no_other(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, idle = await start(), await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    got = record(idle, monkeypatch)
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    reads = count_reads(left, monkeypatch), count_reads(right, monkeypatch)
    await play(ann, ben, room, "a1", "b1", "c1", "d1")
    assert reads == ([], [])
    alone = await room_of(ann, await connect_guest(left.url, "cy"))
    await follow_each_other(room, left, right)
    assert not peers_of(left)._followers.of(alone)
    own = idle.app.node_id.encode()  # its pings
    assert not [topic for topic, data in got if "/peers/" in topic and own not in data]  # only lists, for all nodes


async def test_missing_event_is_read_from_the_store(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    reads = count_reads(right, monkeypatch)
    peers, receive = peers_of(right), peers_of(right)._handlers["events"]
    lost: list[Any] = []
    peers._handlers["events"] = lambda *values: lost.append(values)
    await ann.ask("say", room=room, text="lost")
    await until("the event is lost", lambda: bool(lost))
    peers._handlers["events"] = receive
    assert not reads
    await ann.ask("say", room=room, text="kept")
    assert [(await ben.find(type="said"))["text"] for _ in range(2)] == ["lost", "kept"]
    assert reads == [room]


async def test_forged_and_repeated_messages_change_nothing(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    robo = await connect_guest(left.url, "robo", plays=["conga"])
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    got = record(right, monkeypatch)
    await play(ann, ben, room, "a1", "b1")
    await until("the events are recorded", lambda: any(b"a1" in data for topic, data in got if "/peers/to/" in topic))
    genuine = [message for message in got if "/peers" in message[0]]
    inbox = next(topic for topic, _ in genuine if "/to/" in topic)
    state, refused = right.app.registry.rooms[room].room, bus_of(right).unreadable
    forged = [(topic, payload) for topic, payload in genuine]  # repeated
    forged += [(f"{prefix}/peers", payload) for topic, payload in genuine if topic == inbox]  # on another topic
    forged += [(topic, payload.replace(b"a1", b"c1")) for topic, payload in genuine if b"a1" in payload]
    forged += [(topic, b"\0" * 16 + payload[16:]) for topic, payload in genuine]
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for topic, payload in forged:
            await client.publish(topic, payload)
        node = bus_of(left).node
        will = {"node": node, "online": False, "session": peers_of(right)._sessions[node], "signature": "00"}
        await client.publish(f"{prefix}/nodes/{node}", json.dumps(will))
        await until("all are refused", lambda: bus_of(right).unreadable >= refused + len(forged))
    assert right.app.registry.rooms[room].room is state
    assert node in peers_of(right).nodes
    await move(ann, room, 2, "c1")
    assert (await ben.find(type="moved", ply=3))["move"] == "c1"
    await robo.close()


async def test_private_room_is_read_from_the_store(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, private=True)
    await follow_each_other(room, left, right)
    reads = count_reads(right, monkeypatch)
    await play(ann, ben, room, "a1", "b1", "c1")
    assert set(reads) == {room}


@pytest.mark.parametrize("leaves", [False, True])
async def test_rematch_starts_at_once_unless_the_player_has_left(
    start: Start, connect_guest: ConnectGuest, leaves: bool
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    await ann.ask("resign", room=room)
    await ben.find(type="ended")
    await ann.ask("rematch", room=room)
    await ben.find(type="rematch_offered")
    live = right.app.registry.rooms[room]
    await until("the player counts as present", lambda: live.rematch_elsewhere == 0)
    if leaves:
        await ann.close()
        await until("the node knows it", lambda: live.rematch_elsewhere is None)
    await ben.ask("rematch", room=room)
    new = (await ben.find(type="rematched"))["next"]
    status = (await ben.find(type="snapshot", room=new))["status"]
    assert status == ("waiting" if leaves else "running")


async def test_node_that_reconnects_catches_up_both_ways(
    start: Start, connect_guest: ConnectGuest, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    broker.kill()
    await until("the bus is down", lambda: not left.app.bus.up and not right.app.bus.up)
    await move(ann, room, 0, "a1")
    broker.start()
    await ben.find(type="moved", ply=1)
    await until("the bus is up", lambda: left.app.bus.up and right.app.bus.up)
    await follow_each_other(room, left, right)
    await move(ben, room, 1, "b1")
    await ann.find(type="moved", ply=2)


async def test_bots_of_a_node_that_died_are_forgotten(
    start: Start, connect_guest: ConnectGuest, broker: Broker, database: str, prefix: str
) -> None:
    here = await start()
    other = Node(database, broker.url, "--bus-prefix", prefix, "--log-level", "error")
    await asyncio.to_thread(other.start)
    try:
        await connect_guest(other.url, "robo", plays=["conga"])
        feed = here.app.feed
        await until("the bot is known", lambda: any(bot.name == "robo" for bot in feed.bots()))
    finally:
        await asyncio.to_thread(other.kill)
    await until("it is forgotten", lambda: not feed.bots())
    assert not peers_of(here).nodes


async def test_overloaded_broker_shows_and_loses_nothing(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_of_broker, "KEEPALIVE_S", 600)  # the broker does not answer for a while, but is not lost
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await follow_each_other(room, left, right)
    client = bus_of(left)._client
    assert client is not None
    assert broker._process is not None
    os.kill(broker._process.pid, signal.SIGSTOP)
    try:
        for _ in range(400):
            client.send(f"{prefix}/filler", b"x" * 60_000)
            await asyncio.sleep(0)
            if client.unsent_bytes > 8 << 20:  # more than the system takes, whose buffer grows to 4 MB
                break
        assert bus_of(left).overloaded
        page = (await get(left.url, "/metrics"))[1]
        assert "parlour_bus_overloaded 1" in page
        assert "parlour_bus_up 1" in page
        lost = client.lost
        await move(ann, room, 0, "a1")
    finally:
        os.kill(broker._process.pid, signal.SIGCONT)
    assert (await ben.find(type="moved"))["move"] == "a1"
    await until("the overload ends", lambda: not bus_of(left).overloaded)
    assert client.lost == lost


async def test_ended_rooms_leave_no_state_at_the_broker(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_topics, "ENDED_STATE_TTL_S", 0.0)
    monkeypatch.setattr(public_topics, "STATE_TICK_S", 0.01)
    monkeypatch.setattr(public_topics, "COLLECTING_S", 0.3)
    node = await start()
    ann, ben = await connect_guest(node.url, "ann"), await connect_guest(node.url, "ben")
    left = "1aaaaaaaaaa"  # by a node that died: its room is in no store
    async with subscribe(broker, f"{prefix}/rooms/+/state") as reader:
        room, runs = await room_of(ann, ben), await room_of(ann, ben)
        async with aiomqtt.Client("127.0.0.1", broker.port) as client:
            await client.publish(f"{prefix}/rooms/{left}/state", b"{}", retain=True)
        while await reader.next(f"{runs}/state") is None:
            pass
        await ann.ask("resign", room=room)
        while await reader.next(f"{room}/state") is not None:
            pass
        topics = bus_of(node)._public
        assert isinstance(topics, PublicTopics)
        await topics.remove_left_states()
        await topics.remove_left_states()
        while await reader.next(f"{left}/state") is not None:
            pass
    async with subscribe(broker, f"{prefix}/rooms/+/state") as late:  # the room that runs keeps its state
        assert (await late.next("/state"))["room"] == runs


async def test_node_of_an_earlier_version_hears_of_moves_and_is_heard(
    start: Start, connect_guest: ConnectGuest, broker: Broker, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = await start()
    ann, ben = await connect_guest(node.url, "ann"), await connect_guest(node.url, "ben")
    room = await room_of(ann, ben)
    old, bus = f"{prefix}/nodes/old", bus_of(node)
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.subscribe(f"{prefix}/calls")
        await client.publish(old, json.dumps({"node": "old", "online": True, "bots": []}), retain=True)
        assert bus._old_nodes is not None
        online = bus._old_nodes.online
        await until("it is seen", lambda: bool(online))
        await move(ann, room, 0, "a1")
        call = json.loads((await anext(aiter(client.messages))).payload)
        assert list(call["seqs"]) == [room]
        reads = count_reads(node, monkeypatch)
        await client.publish(f"{prefix}/calls", json.dumps({"node": "old", "seqs": {room: call["seqs"][room] + 1}}))
        await until("the store is read", lambda: room in reads)
        await client.publish(old, b"", retain=True)
        await until("it has left", lambda: not online)


async def test_node_that_is_cut_off_says_so_in_the_store(
    start: Start, connect_guest: ConnectGuest, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the broker notices it, moves in both directions are read from the store."""
    monkeypatch.setattr(client_of_broker, "KEEPALIVE_S", 600)
    monkeypatch.setattr(cluster_node, "ROOM_CHECK_INTERVAL_MS", 600_000)
    link = await link_to_broker(broker.url)
    try:
        left, right = await start(), await start(bus=f"mqtt://127.0.0.1:{link.port}")
        ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
        room = await room_of(ben, ann)
        await follow_each_other(room, left, right)
        with link.cut():
            await move(ben, room, 0, "a1")
            await ann.find(type="moved", ply=1)
            await move(ann, room, 1, "b1")
            await ben.find(type="moved", ply=2)
            assert bus_of(left).reaches(right.app.node_id)
            assert bus_of(right).up
            assert not bus_of(right).responsive
        await until("the node hears the broker again", lambda: bus_of(right).responsive)
    finally:
        await link.close()


async def test_node_knows_which_others_are_connected_to_the_broker(start: Start, broker: Broker) -> None:
    link = await link_to_broker(broker.url)
    try:
        left, right = await start(), await start(bus=f"mqtt://127.0.0.1:{link.port}")
        names = left.app.node_id, right.app.node_id
        await until("both are connected", lambda: bus_of(left).reaches(names[1]) and bus_of(right).reaches(names[0]))
        with link.cut():
            await until("the broker misses one", lambda: not bus_of(left).reaches(names[1]))
            await until("it notices that it is cut off", lambda: not bus_of(right).up)
        await until("both are connected", lambda: bus_of(left).reaches(names[1]) and bus_of(right).reaches(names[0]))
    finally:
        await link.close()
