"""What a move costs each process of a cluster, and what clusters of many nodes carry at these costs.

The load has a fixed rate, so that batches have the same size in all cases. Rounds of all cases alternate. What a
process uses at rest is measured in every round and subtracted.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from argparse import Namespace
from contextlib import suppress
from typing import NamedTuple

from bench.cluster.broker import Broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from bench.processes import descendants, precise_cpu_us
from client.loadtest.matches import Match, Tally, open_matches

NO_LIMITS = (
    "--rate", "1e9", "--burst", "1000000", "--connections-per-address", "100000", "--rooms-per-minute", "1000000000",
    "--log-level", "error",
)  # fmt: skip
MATCHES, THINK_S = 40, 0.045  # about 700 moves/s
SETTLING_S = 1.0
NO_BUS, NOT_PUBLIC, FIRST, SECOND, IDLE = range(5)  # the nodes
CASES = {
    "no bus": [(NO_BUS, NO_BUS)],
    "bus, --bus-public none": [(NOT_PUBLIC, NOT_PUBLIC)],
    "bus": [(FIRST, FIRST)],
    "two nodes": [(FIRST, FIRST), (SECOND, SECOND)],
    "players apart": [(FIRST, SECOND), (SECOND, FIRST)],
}
Usage = dict[str, float]  # CPU µs by process


class System:
    """PostgreSQL, a broker and the nodes of the cases."""

    def __init__(self) -> None:
        self.postgres, self.broker = Postgres(), Broker()
        self.nodes: list[Node] = []

    def start(self) -> None:
        self.postgres.start()
        self.broker.start()
        db, bus = self.postgres.url(), self.broker.url
        self.nodes = [
            Node(db, "", *NO_LIMITS),
            Node(db, bus, *NO_LIMITS, "--bus-public", "none"),
            *(Node(db, bus, *NO_LIMITS) for _ in (FIRST, SECOND, IDLE)),
        ]
        for node in self.nodes:
            node.start()

    def close(self) -> None:
        for node in self.nodes:
            node.stop()
        self.broker.close()
        self.postgres.close()

    def usage(self) -> Usage:
        """Return the CPU time of every process so far. PostgreSQL has one per connection."""
        pids = {f"node {number}": node.process.pid for number, node in enumerate(self.nodes) if node.process}
        pids["broker"] = self.broker.pid
        pids |= {f"postgres {pid}": pid for pid in (self.postgres.pid, *descendants(self.postgres.pid))}
        known: Usage = {}
        for name, pid in pids.items():
            with suppress(OSError):  # a connection has ended
                known[name] = precise_cpu_us(pid)
        return known


def used(before: Usage, after: Usage) -> Usage:
    """Return the CPU time between two readings, for each node, for the broker and for PostgreSQL."""
    total: Usage = {"postgres": 0.0}
    for name, value in after.items():
        key = name if not name.startswith("postgres") else "postgres"
        total[key] = total.get(key, 0.0) + value - before.get(name, 0.0)
    return total


class Round(NamedTuple):
    """What one move has cost in one round."""

    writers: float  # nodes with the players
    idle: float  # a node that attends none of the rooms
    postgres: float
    broker: float
    rate: float


async def measure(system: System, case: str, seconds: float) -> Round:
    before = system.usage()
    await asyncio.sleep(seconds)
    rest = used(before, system.usage())
    tally, matches = Tally(), list[Match]()
    plan = CASES[case]
    for first, second in plan:
        urls = system.nodes[first].url, system.nodes[second].url
        matches += await open_matches(urls[0], MATCHES // len(plan), tally, THINK_S, urls[1])
    for match in matches:
        match.start()
    await asyncio.sleep(SETTLING_S)
    before, moves = system.usage(), tally.moves
    await asyncio.sleep(seconds)
    busy, moves = used(before, system.usage()), tally.moves - moves
    for match in matches:
        match.close()
    assert not tally.errors, tally.errors[0]
    await asyncio.sleep(SETTLING_S)
    cost = {name: (value - rest.get(name, 0.0)) / moves for name, value in busy.items()}
    writers = sum(cost[f"node {number}"] for number in {number for pair in plan for number in pair})
    return Round(writers, cost[f"node {IDLE}"], cost["postgres"], cost["broker"], moves / seconds)


async def costs(args: Namespace) -> None:
    system = System()
    await asyncio.to_thread(system.start)
    try:
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, broker {system.broker.kind}")
        rounds: dict[str, list[Round]] = {case: [] for case in CASES}
        for _ in range(args.repeat):
            for case in CASES:
                rounds[case].append(await measure(system, case, args.seconds))
                print(f"costs: {case}: {shown(rounds[case][-1])}", flush=True)
    finally:
        await asyncio.to_thread(system.close)
    print("\nmedian CPU µs a move (smallest to largest round):")
    for case, measured in rounds.items():
        print(f"  {case:24} " + "  ".join(f"{name} {spread(measured, name)}" for name in Round._fields))
    for name, case, base in (
        ("writers", "bus, --bus-public none", "no bus"),
        ("writers", "bus", "no bus"),
        ("writers", "players apart", "two nodes"),
        ("postgres", "two nodes", "bus"),
        ("postgres", "players apart", "two nodes"),
    ):
        print(f"  {name}: {case} / {base}: {ratio(rounds, name, case, base)}")


def shown(measured: Round) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in measured._asdict().items())


def spread(rounds: list[Round], name: str) -> str:
    values = sorted(getattr(measured, name) for measured in rounds)
    return f"{statistics.median(values):.1f} ({values[0]:.1f} to {values[-1]:.1f})"


def ratio(rounds: dict[str, list[Round]], name: str, case: str, base: str) -> str:
    """Return the median of the ratios of both cases in the same round."""
    pairs = zip(rounds[case], rounds[base], strict=True)
    values = sorted(getattr(one, name) / getattr(other, name) for one, other in pairs)
    return f"{statistics.median(values):.2f} ({values[0]:.2f} to {values[-1]:.2f})"


class Assumed(NamedTuple):
    """What the model assumes: CPU µs a move, from `share` and `costs` on a quiet machine, and what a cluster has.

    Nodes have the costs of `share`, which are those at full load. The others are those of `costs`: more than at full
    load, where messages are larger. In `costs`, a transaction takes 1.5 ms. One node then writes 1.3 moves in each
    transaction, and each of two nodes writes one. This gives the database's costs of a move and of a transaction.
    """

    move: float = 65.0  # of the node with both players
    apart: float = 60.0  # more, of both nodes together, if the players are on different nodes
    heard: float = 1.3  # of every other node: lists
    heard_apart: float = 0.2  # more, if the players are apart
    database_move: float = 26.0
    database_transaction: float = 91.0  # a node writes what came during one transaction in the next
    transaction_s: float = 0.005  # under load
    broker_public: float = 6.2  # events and states for subscribers
    broker_apart: float = 22.5
    database_cores: float = 8.0


class Carried(NamedTuple):
    """What a cluster carries: moves per second, and the part that limits it."""

    rate: float
    limit: str


def carried(nodes: int, apart: float, public: bool, costs: Assumed) -> Carried:
    """Return what a cluster carries if a share of rooms has players `apart`. A node and a broker have one core each."""
    others = (nodes - 1) * (costs.heard + apart * costs.heard_apart)
    at_node = 1e6 / (costs.move + apart * costs.apart + others)
    batch = max(1.0, at_node * costs.transaction_s)
    database = 1e6 * costs.database_cores / (costs.database_move + costs.database_transaction / batch)
    broker = 1e6 / max(0.1, (costs.broker_public if public else 0.0) + apart * costs.broker_apart)
    return min(Carried(nodes * at_node, "nodes"), Carried(database, "database"), Carried(broker, "broker"))


async def model(args: Namespace) -> None:
    """Print what clusters carry: with 5 % of the rooms apart (affinity) and with players at random nodes."""
    costs = Assumed()
    for nodes in (1, 2, 10, 50, 200):
        for name, apart in (("affinity", 0.05), ("random", 1 - 1 / nodes)):
            shown = [carried(nodes, apart if nodes > 1 else 0.0, public, costs) for public in (True, False)]
            rates = [f"{rate:8,.0f} moves/s ({limit})" for rate, limit in shown]
            print(f"model: {nodes:3} nodes, {name:8}: {rates[0]}; --bus-public none: {rates[1]}")
