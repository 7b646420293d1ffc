"""Two nodes compared with one, on the same PostgreSQL and the same broker, in turns.

    python -m bench.nodes               everything
    python -m bench.nodes moves         moves/s and p99: one node, two nodes, opponents on different nodes
    python -m bench.nodes calm          a move from node to node at 100 moves/s (goal: p99 20 ms)
    python -m bench.nodes costs         CPU time of a move at every process, without and with a bus
    python -m bench.nodes share         two nodes and one, each with a fixed share of a core (goal: 1.5 x)
    python -m bench.nodes cut           how late moves are while a node is cut off from the broker
    python -m bench.nodes model         what 1 to 200 nodes carry if a move costs what `costs` has measured

Everything runs on this machine: with few cores the database, the broker and the load compete with the nodes.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from argparse import ArgumentParser, Namespace

import uvloop

from bench.cluster.node import Node
from bench.cluster.parts import Cluster
from bench.nodes_costs import costs, model
from bench.nodes_cut import cut
from bench.nodes_share import share
from client.loadtest.matches import Match, Tally, open_matches, percentile, play

NO_LIMITS = (
    "--rate", "1e9", "--burst", "1000000", "--connections-per-address", "100000", "--rooms-per-minute", "1000000000",
    "--log-level", "error",
)  # fmt: skip
Plan = list[tuple[int, int]]  # for each group of matches, the nodes of its two players
PLANS: dict[str, Plan] = {"one node": [(0, 0)], "two nodes": [(0, 0), (1, 1)], "players apart": [(0, 1), (1, 0)]}


async def measure(nodes: list[Node], plan: Plan, count: int, seconds: float, think: float) -> tuple[float, list[float]]:
    tally = Tally()
    matches: list[Match] = []
    for first, second in plan:
        urls = nodes[first].url, nodes[second].url
        matches += await open_matches(urls[0], count // len(plan), tally, think, urls[1])
    measured = await play(matches, tally, seconds)
    assert not tally.errors, tally.errors[0]
    await asyncio.sleep(0.5)
    return measured


async def moves(cluster: Cluster, args: Namespace) -> None:
    ratios: dict[str, list[float]] = {name: [] for name in PLANS}
    for _ in range(args.repeat):
        base = 0.0
        for name, plan in PLANS.items():
            rate, delays = await measure(cluster.nodes, plan, args.matches, args.seconds, 0.0)
            base = base or rate
            ratios[name].append(rate / base)
            print(
                f"moves: {name}: {rate:.0f}/s, {rate / base:.2f} x; latency "
                f"p50 {percentile(delays, 50):.1f} p99 {percentile(delays, 99):.1f} ms",
                flush=True,
            )
    for name, values in ratios.items():
        print(f"moves: {name}: median {statistics.median(values):.2f} x of one node")


async def calm(cluster: Cluster, args: Namespace) -> None:
    """Measure 20 matches with a move every 0.2 s in each, in rounds that alternate. One node shows what others cost."""
    known: dict[str, list[float]] = {"one node": [], "players apart": []}
    for _ in range(args.repeat):
        for name, delays in known.items():
            rate, measured = await measure(cluster.nodes, PLANS[name], 20, args.seconds, 0.19)
            delays += measured
            print(f"calm: {name}: {rate:.0f}/s: {shown(measured)}", flush=True)
    for name, delays in known.items():
        print(f"calm: {name}: all rounds: {shown(sorted(delays))}")


def shown(delays: list[float]) -> str:
    return f"latency p50 {percentile(delays, 50):.1f} p99 {percentile(delays, 99):.1f} ms (goal p99 20)"


async def shares(args: Namespace) -> None:
    """Measure all placements of the players with nodes that have a fixed share of a core."""

    async def rate(nodes: list[Node], name: str) -> float:
        return (await measure(nodes, PLANS[name], args.matches, args.seconds, 0.0))[0]

    await share(args, list(PLANS), rate)


PARTS = {"moves": moves, "calm": calm}
ALONE = {"costs": costs, "share": shares, "cut": cut, "model": model}  # these need no cluster, or one of their own


async def main(args: Namespace) -> None:
    for name, part in ALONE.items():
        if not args.parts or name in args.parts:
            await part(args)
    if not args.parts or set(PARTS) & set(args.parts):
        await compare(args)


async def compare(args: Namespace) -> None:
    cluster = Cluster(2, NO_LIMITS)
    try:
        await cluster.start()
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, broker {cluster.broker.kind}")
        for name, part in PARTS.items():
            if not args.parts or name in args.parts:
                await part(cluster, args)
    finally:
        await cluster.close()


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join((*ALONE, *PARTS))} (default: all)")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each measurement (default: 5)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--matches", type=int, default=100)
    uvloop.run(main(parser.parse_args()))
