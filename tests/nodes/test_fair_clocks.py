"""Parts fail for a few seconds during games with short clocks: no player who answers at once loses on time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.cluster.broker import Broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from protocol.codec import decode_event
from protocol.events import Ended, Moved
from server.app import Running
from server.domain.clock import MAX_CREDIT_PER_MOVE_MS
from server.storage.postgres.store import PostgresStore
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import move, room_of
from tests.nodes.conftest import Start
from tests.nodes.faults import link_to_broker, link_to_postgres, stopped
from tests.nodes.haproxy import balancer
from tests.nodes.player import Match
from tests.waiting import until

FLAGS = ("--rate", "1e6", "--burst", "1000000", "--log-level", "error")
THINK = 0.15, 0.15  # seconds
# a clock per move: on a busy machine, clients need longer, and must not run out of time because of that
PER_MOVE_MS = 3000
CLOCK = {"kind": "move", "per_move": PER_MOVE_MS}
GAMES = 8


async def until_out_of_time(node: Running, turn_began: int) -> None:
    """Wait until a player who could move since then would have lost on time, with all credit for latency."""
    await until("time passes", lambda: node.app.now() > turn_began + PER_MOVE_MS + MAX_CREDIT_PER_MOVE_MS + 500)


async def test_database_that_hangs_costs_no_game(start: Start, connect_guest: ConnectGuest, postgres: Postgres) -> None:
    """Ann's move cannot be stored, so ben cannot be told of it. In the second game, ann thinks meanwhile."""
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    first, second = await room_of(ann, ben, clock=CLOCK), await room_of(ann, ben, clock=CLOCK)
    began = left.app.now()
    with stopped(postgres.pid):
        asked = await ann.send("move", room=first, ply=0, move="a1")
        await until_out_of_time(left, began)
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", room=first, ply=1)
    await move(ben, first, 1, "b1")
    assert (await move(ann, second, 0, "a1"))["charged"] < PER_MOVE_MS


async def test_node_that_is_cut_off_from_the_broker_costs_no_game(
    start: Start, connect_guest: ConnectGuest, broker: Broker
) -> None:
    link = await link_to_broker(broker.url)
    try:
        left, right = await start(), await start(bus=f"mqtt://127.0.0.1:{link.port}")
        ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
        room = await room_of(ann, ben, clock=CLOCK)
        with link.cut():
            await move(ann, room, 0, "a1")
            moved = await ben.find(type="moved", ply=1)  # late, from the store
            assert (await move(ben, room, 1, "b1"))["charged"] < PER_MOVE_MS
            assert moved["seq"] < (await ann.find(type="moved", ply=2))["seq"]
    finally:
        await link.close()


async def test_node_that_is_stopped_costs_no_game(
    start: Start, connect_guest: ConnectGuest, database: str, broker: Broker, prefix: str
) -> None:
    """Ann has been told of her turn, and her move waits in the buffer of a node that does not run."""
    far = Node(database, broker.url, "--bus-prefix", prefix, *FLAGS)
    await asyncio.to_thread(far.start)
    assert far.process is not None
    try:
        here = await start()
        ann, ben = await connect_guest(far.url, "ann"), await connect_guest(here.url, "ben")
        room = await room_of(ann, ben, clock=CLOCK)
        with stopped(far.process.pid):
            asked = await ann.send("move", room=room, ply=0, move="a1")
            await until_out_of_time(here, here.app.now())
        assert (await ann.answer(asked))["type"] == "ok"
        await ben.find(type="moved", room=room, ply=1)
    finally:
        await asyncio.to_thread(far.kill)


class Cluster:
    """Three nodes as processes. The first one reaches the broker and the database by links that can be cut."""

    def __init__(self, postgres: Postgres, database: str, broker: Broker, prefix: str, log: Path) -> None:
        self.postgres, self.database, self.broker, self.prefix, self.log = postgres, database, broker, prefix, log
        self.nodes: list[Node] = []

    async def start(self) -> None:
        self.to_broker, self.to_database = await link_to_broker(self.broker.url), await link_to_postgres(self.postgres)
        name = self.database.split("@/")[1].split("?")[0]
        linked = f"postgresql://postgres@127.0.0.1:{self.to_database.port}/{name}"
        addresses = [(linked, f"mqtt://127.0.0.1:{self.to_broker.port}"), *[(self.database, self.broker.url)] * 2]
        flags = ("--bus-prefix", self.prefix, *FLAGS)
        self.nodes = [Node(db, bus, *flags, log=self.log) for db, bus in addresses]
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            await asyncio.to_thread(node.wait)

    async def close(self) -> None:
        for node in self.nodes:
            await asyncio.to_thread(node.kill)
        await self.to_broker.close()
        await self.to_database.close()


async def broker_killed(cluster: Cluster) -> None:
    await asyncio.to_thread(cluster.broker.kill)
    await asyncio.sleep(5)
    await asyncio.to_thread(cluster.broker.start)


async def node_cut_from_the_broker(cluster: Cluster) -> None:
    with cluster.to_broker.cut():
        await asyncio.sleep(12)


async def database_frozen(cluster: Cluster) -> None:
    with stopped(cluster.postgres.pid):
        await asyncio.sleep(6.5)


async def node_stopped(cluster: Cluster) -> None:
    process = cluster.nodes[0].process
    assert process is not None
    with stopped(process.pid):
        await asyncio.sleep(10)


async def node_cut_from_the_database(cluster: Cluster) -> None:
    with cluster.to_database.cut():
        await asyncio.sleep(6)


Fault = Callable[[Cluster], Awaitable[None]]
FAULTS: list[Fault] = [
    broker_killed,
    node_cut_from_the_broker,
    database_frozen,
    node_stopped,
    node_cut_from_the_database,
]


@pytest.fixture
async def cluster(
    database: str, broker: Broker, postgres: Postgres, prefix: str, tmp_path: Path
) -> AsyncIterator[Cluster]:
    """Three nodes, with a broker that may be killed."""
    own = Broker(broker.kind)
    await asyncio.to_thread(own.start)
    cluster = Cluster(postgres, database, own, prefix, tmp_path / "nodes.log")
    await cluster.start()
    yield cluster
    await cluster.close()
    await asyncio.to_thread(own.close)


class Outcome(NamedTuple):
    """What became of the games of a run."""

    acknowledged: int  # moves
    reasons: Counter[str]  # of the ends of games
    silence_ms: int  # the longest time between two moves of a game
    reconnects: int


async def outcome(matches: list[Match], database: str) -> Outcome:
    """Return the outcome of games that are over. No acknowledged move may be lost or duplicated."""
    store = PostgresStore(database, pool=1)
    await store.open()
    reasons: Counter[str] = Counter()
    silence = 0
    for match in matches:
        events = [decode_event(payload) for payload in await store.events(match.players[0].room)]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        moved = [event for event in events if isinstance(event, Moved)]
        match.check([event.move for event in moved])
        silence = max([silence, *[after.at - before.at for before, after in pairwise(moved)]])
        (end,) = [event for event in events if isinstance(event, Ended)]
        reasons[end.reason] += 1
    await store.close()
    players = [player for match in matches for player in match.players]
    return Outcome(
        sum(len(player.acknowledged) for player in players),
        reasons,
        silence,
        sum(player.times_back - 1 for player in players),  # each connects once to be seated, and once to play
    )


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_player_loses_on_time_because_of_a_fault(
    cluster: Cluster, database: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [node.url for node in cluster.nodes]
    result = await play_through(cluster, urls, database, fault, monkeypatch)
    assert not result.reasons["time"]


@pytest.mark.long
@pytest.mark.parametrize("fault", [database_frozen, node_stopped])
async def test_no_player_loses_on_time_because_of_a_fault_behind_a_balancer(
    cluster: Cluster, database: str, fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HAProxy keeps the clients of a node without a database, and moves those of a node that is stopped."""
    async with balancer([f"127.0.0.1:{node.port}" for node in cluster.nodes], tmp_path) as url:
        result = await play_through(cluster, [url] * 3, database, fault, monkeypatch)
    assert not result.reasons["time"]
    assert bool(result.reconnects) == (fault is node_stopped)


async def play_through(
    cluster: Cluster, urls: list[str], database: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> Outcome:
    """Play games, with opponents at different nodes, while a part fails."""
    monkeypatch.setattr(Match, "OPTIONS", {"n": 12, "k": 12})
    matches = [Match((urls[n % 3], urls[(n + 1) % 3]), n, THINK, CLOCK) for n in range(GAMES)]
    for match in matches:
        await match.open()
        match.start()  # its clock runs
    await until("games run", lambda: all(len(match.players[0].moves) > 15 for match in matches))
    await fault(cluster)
    await until("all games are over", lambda: all(match.over for match in matches))
    await asyncio.gather(*[match.task for match in matches if match.task is not None])
    result = await outcome(matches, database)
    print(f"\n{fault.__name__}: {result}")
    return result


@pytest.mark.long
async def test_player_who_does_not_move_loses_within_a_second(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, clock=CLOCK)
    moved = await move(ann, room, 0, "a1")
    end = await ann.find(type="ended", room=room)
    assert end["reason"] == "time"
    assert 0 <= end["at"] - moved["at"] - PER_MOVE_MS - MAX_CREDIT_PER_MOVE_MS < 1000
