"""Run a cluster of plain processes until Ctrl-C, to try it out: PostgreSQL, a broker, nodes and a balancer.

All data is deleted on exit. For a cluster that keeps its data, see docker-compose.yml.
"""

from __future__ import annotations

import asyncio
import os
from argparse import ArgumentParser, Namespace

from bench.cluster.parts import Cluster
from bench.cluster.postgres import Missing
from runtime.signals import calls_on_exit_signal


async def run(args: Namespace, flags: list[str]) -> None:
    stopped = asyncio.Event()
    cluster = Cluster(args.nodes, tuple(flags), args.port)
    with calls_on_exit_signal(lambda number: stopped.set()):
        try:
            await cluster.start()
            print(f"cluster: play at {cluster.url}")
            print(f"cluster: database {cluster.db}")
            print(f"cluster: broker {cluster.broker.url} ({cluster.broker.kind})")
            for node in cluster.nodes:
                assert node.process is not None
                print(f"cluster: node {node.url} (process {node.process.pid})", flush=True)
            await stopped.wait()
        finally:
            await cluster.close()


def main() -> int:
    parser = ArgumentParser("scripts/cluster", description=__doc__, epilog="Other flags are passed to every node.")
    parser.add_argument("--nodes", type=int, default=2, help="default: 2")
    parser.add_argument("--port", type=int, default=8765, help="port of the balancer; 0 for any free port")
    parser.add_argument("--house", default="none", help="house bots, as for parlour serve")
    args, flags = parser.parse_known_args()
    os.environ["PARLOUR_HOUSE"] = args.house
    try:
        asyncio.run(run(args, flags))
    except Missing as missing:
        parser.exit(2, f"cluster: {missing}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
