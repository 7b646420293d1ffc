"""Games that go on while a part of a cluster fails, and what becomes of them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

from bench.cluster.broker import Broker
from bench.cluster.link import link_to_broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from protocol.codec import decode_event
from protocol.events import AnyEvent, Ended, Moved, Resumed, Started
from server.domain.clock import MAX_CREDIT_PER_MOVE_MS
from server.storage.postgres.store import PostgresStore
from tests.nodes.faults import link_to_postgres, stopped
from tests.nodes.player import Match
from tests.waiting import until

FLAGS = ("--rate", "1e6", "--burst", "1000000", "--log-level", "error")
THINK = 0.15, 0.15  # seconds
BASE_MS, INCREMENT_MS = 3000, 150
CLOCK = {"kind": "fischer", "base": BASE_MS, "increment": INCREMENT_MS}
GAMES = 8
MOVES_BEFORE_FAULT = 15
LONG_TURN_MS = 500  # what comes on top of it is not usual
LONG_TURN_MEDIANS = 3  # nor are turns so many times as long as the median, on a machine where all are long
MAX_LOAD_MS = 1000  # all together: a player who was charged more has lost because of a fault
EVENTS_SHOWN = 12  # of a game that a player has lost because of a fault


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
    await for_seconds(12, cluster.to_broker.cut())


async def database_frozen(cluster: Cluster) -> None:
    await for_seconds(6, stopped(cluster.postgres.pid))


async def node_stopped(cluster: Cluster) -> None:
    process = cluster.nodes[0].process
    assert process is not None
    await for_seconds(10, stopped(process.pid))


async def node_cut_from_the_database(cluster: Cluster) -> None:
    await for_seconds(6, cluster.to_database.cut())


async def for_seconds(seconds: float, fault: AbstractContextManager[None]) -> None:
    with fault:
        await asyncio.sleep(seconds)


Fault = Callable[[Cluster], Awaitable[None]]
FAULTS: list[Fault] = [
    broker_killed,
    node_cut_from_the_broker,
    database_frozen,
    node_stopped,
    node_cut_from_the_database,
]


class Outcome(NamedTuple):
    """The results of the games of a run."""

    acknowledged: int = 0  # moves
    lost: int = 0  # acknowledged moves that are not stored
    duplicated: int = 0  # moves that are stored twice
    desyncs: int = 0  # players whose moves are not those that are stored
    wrong_flags: int = 0  # players who lost on time because of some long turns, although each answers at once
    reasons: Counter[str] = Counter()  # of the ends of games; never changed
    silence_ms: int = 0  # the longest time between two moves of a game
    reconnects: int = 0


async def stored_events(database: str, rooms: list[str]) -> list[list[AnyEvent]]:
    """Return the logs of rooms."""
    store = PostgresStore(database, pool=1)
    await store.open()
    try:
        return [[decode_event(payload) for payload in await store.events(room)] for room in rooms]
    finally:
        await store.close()


async def outcome(matches: list[Match], database: str, since: int) -> Outcome:
    """Return the outcome of games that are over. `since`: when the fault began, in milliseconds."""
    logs = await stored_events(database, [match.players[0].room for match in matches])
    total = Outcome(reasons=Counter())
    for match, events in zip(matches, logs, strict=True):
        moved = [event for event in events if isinstance(event, Moved)]
        (end,) = [event for event in events if isinstance(event, Ended)]
        moves = [event.move for event in moved]
        wrong = end.reason == "time" and charged_too_much_ms(events, len(moves) % 2, since) > MAX_LOAD_MS
        if wrong:
            print(f"\n{match.players[0].room} ends on time:")
            print("\n".join(f"  {event}" for event in events[-EVENTS_SHOWN:]))
        total = Outcome(
            total.acknowledged + sum(len(player.acknowledged) for player in match.players),
            total.lost + sum(moves[ply : ply + 1] != [text] for player in match.players
                             for ply, text in player.acknowledged.items()),
            total.duplicated + len(moved) - len({event.ply for event in moved}),
            total.desyncs + sum(player.moves != moves for player in match.players),
            total.wrong_flags + wrong,
            total.reasons + Counter([end.reason]),
            max([total.silence_ms, *[after.at - before.at for before, after in pairwise(moved)]]),
            total.reconnects + sum(player.times_back - 1 for player in match.players),  # one to be seated, one to play
        )  # fmt: skip
    return total


def charged_too_much_ms(events: list[AnyEvent], side: int, since: int) -> int:
    """Return how much longer than usual the turns of a side since the fault were, the last one included.

    A fault costs much time in a few turns, and a busy machine costs a little in each.
    """
    moves = [event for event in events if isinstance(event, Moved)]
    usual = max(LONG_TURN_MS, LONG_TURN_MEDIANS * median([move.charged for move in moves]))
    charged = [move.charged for move in moves if move.side == side and move.at >= since]
    return round(sum(max(0, ms - usual) for ms in (*charged, last_turn_ms(events))))


def last_turn_ms(events: list[AnyEvent]) -> int:
    """Return how long the last turn of a game was, without the credit that was written down."""
    began, credit = events[0].at, 0
    for event in events:
        if isinstance(event, Moved | Started):
            began, credit = event.at, 0
        elif isinstance(event, Resumed):
            credit += event.credit + event.delay
    return events[-1].at - began - credit


async def play_through(
    cluster: Cluster, urls: list[str], database: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> Outcome:
    """Play games, with opponents at different nodes, while a part fails."""
    monkeypatch.setattr(Match, "OPTIONS", {"n": 9, "k": 9})  # long enough for the longest fault
    matches = [Match((urls[n % 3], urls[(n + 1) % 3]), n, THINK, CLOCK) for n in range(GAMES)]
    for match in matches:
        await match.open()
        match.start()  # its clock runs
    await until(
        "games run",
        lambda: all(match.over or len(match.players[0].moves) > MOVES_BEFORE_FAULT for match in matches),
    )
    began = int(time.time() * 1000)
    await fault(cluster)
    await until("all games are over", lambda: not [match for match in matches if not match.over])
    await asyncio.gather(*[match.task for match in matches if match.task is not None])
    result = await outcome(matches, database, began)
    print(f"\n{cluster.broker.kind}, {fault.__name__}: {result}")
    return result


class SilentGame:
    """A game in which the second player stops to move, connected to a node that works."""

    def __init__(self, urls: list[str], number: int) -> None:
        self.match = Match((urls[0], urls[1]), GAMES + number, THINK, CLOCK)
        self.match.players[1].silent = True

    async def start(self) -> None:
        """Start the game. Return when the silent player knows that it is to move."""
        await self.match.open()
        self.match.start()
        await until("the silent player is to move", lambda: bool(self.match.players[1].moves))

    async def late_flag_ms(self, database: str) -> int:
        """Wait for the end. Return how long after the deadline the flag fell, for a player with the most credit."""
        await until("the game is over", lambda: self.match.over)
        (events,) = await stored_events(database, [self.match.players[0].room])
        end = events[-1]
        assert isinstance(end, Ended)
        assert end.reason == "time"
        late = last_turn_ms(events) - BASE_MS - MAX_CREDIT_PER_MOVE_MS
        print(f"\nthe flag of a silent player falls {late} ms after the deadline")
        return late


async def late_flag_ms(urls: list[str], database: str) -> int:
    """Return how late the flag of a silent player falls while nothing fails."""
    game = SilentGame(urls, 1)
    await game.start()
    return await game.late_flag_ms(database)
