"""Measure how late moves are while one node is cut off from the broker, which works for the others.

Two nodes play matches with each other. The connection of the first one to the broker takes what is sent and passes
nothing on, as when a network drops packets. A move from either node then reaches the other one through the database.
"""

from __future__ import annotations

import asyncio
import os
from argparse import Namespace

from bench.cluster.link import link_to_broker
from bench.cluster.parts import Cluster
from client.loadtest.matches import Match, Tally, open_matches, percentile

MATCHES = 20
THINK_S = 0.2  # mean, before each move
CUT_S = 12.0  # longer than Mosquitto needs to notice it
IN_TIME_MS = 100.0  # a later move did not come through the broker


async def cut(args: Namespace) -> None:
    """Cut the first node off in each of `repeat` rounds."""
    first, late = list[float](), list[float]()
    for number in range(args.repeat):
        cluster = Cluster(2, ("--log-level", "error", "--rate", "1e9", "--burst", "1000000"))
        try:
            of_first, of_all = await cut_once(cluster)
            if not number:
                print(f"cut: {os.cpu_count()} cores, broker {cluster.broker.kind}, {MATCHES} matches, {CUT_S:g} s each")
            print(f"cut: load {os.getloadavg()[0]:.1f}: {shown(of_first, of_all)}", flush=True)
        finally:
            await cluster.close()
        first += of_first
        late += of_all
    print(f"cut: all rounds: {shown(first, late)}")


def shown(first: list[float], late: list[float]) -> str:
    texts = [
        f"{what} p50 {percentile(sorted(delays), 50):.0f} max {max(delays, default=0):.0f} ms ({len(delays)})"
        for what, delays in (("first late move of each match", first), ("all late moves", late))
    ]
    return "; ".join(texts)


async def cut_once(cluster: Cluster) -> tuple[list[float], list[float]]:
    """Return the delays of the first late move of each match, and of all late moves, in milliseconds."""
    await asyncio.to_thread(cluster.postgres.start)
    await asyncio.to_thread(cluster.broker.start)
    link = await link_to_broker(cluster.broker.url)
    matches: list[Match] = []
    try:
        await cluster.start_nodes(first_bus=f"mqtt://127.0.0.1:{link.port}")
        tallies = [Tally() for _ in range(MATCHES)]
        for number, tally in enumerate(tallies):
            urls = [node.url for node in cluster.nodes]
            matches += await open_matches(urls[number % 2], 1, tally, THINK_S, urls[1 - number % 2])
        for match in matches:
            match.start()
        await asyncio.sleep(3)  # all games are under way, and each node knows the other
        for tally in tallies:
            tally.delays.clear()
        with link.cut():
            await asyncio.sleep(CUT_S)
            delays = [[delay * 1000 for delay in tally.delays if delay * 1000 > IN_TIME_MS] for tally in tallies]
    finally:
        for match in matches:
            match.close()
        await link.close()
    return [of_match[0] for of_match in delays if of_match], [delay for of_match in delays for delay in of_match]
