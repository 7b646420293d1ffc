"""A network drops the packets between a node and one other part: nothing hangs for longer than documented.

docs/operating.md, "When a part fails", has the times. A busy machine may take twice as long.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cluster.broker import Broker
from bench.cluster.link import link_to_broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from server.app import Running
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest, Message
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start
from tests.nodes.fault_games import FLAGS
from tests.nodes.faults import link_to_postgres
from tests.nodes.network import Network, network

pytestmark = pytest.mark.long
BUSY = 2.0  # times as long on a busy machine
BROKER_DELAY_S = 1.0 + 1.0  # until the node knows it, and the next sweep
DATABASE_DELAY_S = 10.0 + 2.0  # a statement, and the question whether it was written
LIST_DELAY_S = 2.5
CLIENT_DELAY_S = 15.0 + 15.0  # until the next ping, and for its pong
RETURN_DELAY_S = 16.0  # until TCP repeats its packets after that, and until the node connects again


class Place:
    """A node behind a network that can drop packets."""

    def __init__(self, network: Network, node: Node) -> None:
        self.network, self.node = network, node
        self._guests: list[Guest] = []

    async def connect(self, name: str = "", **fields: Any) -> Guest:
        guest = await Guest.open(self.node.url, local_addr=(self.network.player, 0), ping_interval=None)
        self._guests.append(guest)
        await guest.hello(name, **fields)
        return guest

    def disconnect(self) -> None:
        for guest in self._guests:
            guest.socket.transport.abort()


@pytest.fixture
async def far(database: str, postgres: Postgres, broker: Broker, prefix: str, tmp_path: Path) -> AsyncIterator[Place]:
    with network() as net:
        to_broker, to_database = (
            await link_to_broker(broker.url, net.broker),
            await link_to_postgres(postgres, net.database),
        )
        name = database.split("@/")[1].split("?")[0]
        node = Node(
            f"postgresql://postgres@{net.database}:{to_database.port}/{name}",
            f"mqtt://{net.broker}:{to_broker.port}",
            *("--bus-prefix", prefix, *FLAGS),
            log=tmp_path / "node.log",
            host=net.node,
            launcher=net.launcher,
        )
        try:
            await asyncio.to_thread(node.start)
            place = Place(net, node)
            yield place
            place.disconnect()
        finally:
            await asyncio.to_thread(node.kill)
            await to_broker.close()
            await to_database.close()


@pytest.fixture
async def here(far: Place, start: Start) -> Running:
    """Return a node that reaches everything. It starts after the other one."""
    return await start()


class Stopwatch:
    """Measures how long something takes, and compares it with what is documented."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report, self._began = report, time.monotonic()

    def check(self, what: str, documented_s: float) -> None:
        took = time.monotonic() - self._began
        self._report(f"{what}: {took:.1f} s, documented {documented_s:g} s")
        assert took < BUSY * documented_s, what
        self._began = time.monotonic()


async def test_packets_between_node_and_broker_are_dropped(
    far: Place, here: Running, connect_guest: ConnectGuest
) -> None:
    ann, ben = await connect_guest(here.url, "ann"), await far.connect("ben")
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    with far.network.cut(far.network.broker):
        watch = Stopwatch(print)
        await move(ann, room, 2, "c1")
        await ben.find(type="moved", ply=3)
        watch.check("the first move reaches the node", BROKER_DELAY_S)
        await move(ben, room, 3, "d1")
        await ann.find(type="moved", ply=4)
        watch.check("a move of the node reaches the other", BROKER_DELAY_S)
    watch = Stopwatch(print)
    await move(ann, room, 4, "a2")
    await ben.find(type="moved", ply=5)
    watch.check("a move after it", BROKER_DELAY_S)


async def test_packets_between_node_and_database_are_dropped(
    far: Place, here: Running, connect_guest: ConnectGuest
) -> None:
    ann, ben = await connect_guest(here.url, "ann"), await far.connect("ben")
    room = await room_of(ben, ann)
    await play(ben, ann, room, "a1", "b1")
    with far.network.cut(far.network.database):
        watch = Stopwatch(print)
        listed = await ben.answer(await ben.send("list", status="running"))
        assert listed["type"] == "error"
        watch.check("a list is refused", LIST_DELAY_S)
        refused = await ben.answer(await ben.send("move", room=room, ply=2, move="c1"))
        assert refused["code"] == "unavailable"
        watch.check("a move is refused", DATABASE_DELAY_S)
        assert (await ben.refused("create", game="conga"))["code"] == "unavailable"
        watch.check("the next command is refused", DATABASE_DELAY_S)
    watch = Stopwatch(print)
    await until_it_moves(ben, room, 2, "c1")
    await ann.find(type="moved", ply=3)
    watch.check("a move after it", RETURN_DELAY_S)
    assert not any(message["type"] == "ended" for message in (*ann.seen, *ben.seen))


async def until_it_moves(guest: Guest, room: str, ply: int, text: str) -> Message:
    """Play a move, and retry while the node refuses it for now."""
    while True:
        answer = await guest.answer(await guest.send("move", room=room, ply=ply, move=text))
        if answer["type"] == "ok":
            return answer
        assert answer["code"] == "unavailable", answer
        await asyncio.sleep(0.1)


async def test_packets_between_node_and_client_are_dropped(
    far: Place, here: Running, connect_guest: ConnectGuest
) -> None:
    """The node sees it by its pings. The player returns with the session, to the same node."""
    ann, ben = await connect_guest(here.url, "ann"), await far.connect("ben")
    room = await room_of(ann, ben)
    with far.network.cut(far.network.player):
        watch = Stopwatch(print)
        await move(ann, room, 0, "a1")
        gone = await ann.find(type="presence", room=room)
        assert (gone["seat"], gone["online"]) == (1, False)
        watch.check("the player counts as away", CLIENT_DELAY_S)
    watch = Stopwatch(print)
    back = await far.connect(resume=ben.session)
    snapshot = await back.find(type="snapshot", room=room)
    assert len(snapshot["moves"]) == 1
    await move(back, room, 1, "b1")
    await ann.find(type="moved", ply=2)
    watch.check("the player plays on", RETURN_DELAY_S)
