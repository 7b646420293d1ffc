"""Compare two nodes with one where each node has a core of its own, though a small one.

The kernel gives each node a fixed share of a core, by a control group. So nodes do not compete with each other, nor
with the database, the broker and the load, as they would on a machine with few cores. Linux only, and only as root.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.cluster.broker import Broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres
from bench.nodes_costs import NO_LIMITS

SHARE = 0.15  # of a core, for each node
PERIOD_US = 10_000  # in which a node may use its share
ROOTS = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")  # of control groups, version 1 and version 2
Measure = Callable[[list[Node], str], Awaitable[float]]


@contextmanager
def control_group(name: str) -> Iterator[tuple[str, ...]]:
    """Make a group with the share of a core. Yield a command that runs its arguments in it. Raises OSError."""
    root = next((root for root in ROOTS if root.is_dir()), ROOTS[-1])
    group, quota = root / f"parlour-{os.getpid()}-{name}", int(SHARE * PERIOD_US)
    group.mkdir()
    try:
        if root is ROOTS[0]:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        yield "sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"
    finally:
        with suppress(OSError):  # a process of it still ends
            group.rmdir()


async def share(args: Namespace, names: list[str], measure: Measure) -> None:
    """Print moves per second with these placements of the players, the first of which is the base of the ratios."""
    postgres, broker = Postgres(), Broker()
    with control_group("0") as first, control_group("1") as second:
        nodes: list[Node] = []
        try:
            await asyncio.to_thread(postgres.start)
            await asyncio.to_thread(broker.start)
            for launcher in (first, second):
                nodes.append(Node(postgres.url(), broker.url, *NO_LIMITS, launcher=launcher))
                await asyncio.to_thread(nodes[-1].start)
            print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {SHARE:.0%} of a core for each node")
            ratios: dict[str, list[float]] = {name: [] for name in names}
            for _ in range(args.repeat):
                rates = {name: await measure(nodes, name) for name in names}
                for name, rate in rates.items():
                    ratios[name].append(rate / rates[names[0]])
                    print(f"share: {name}: {rate:.0f}/s, {ratios[name][-1]:.2f} x", flush=True)
            for name, values in ratios.items():
                print(f"share: {name}: median {statistics.median(values):.2f} x")
        finally:
            for node in nodes:
                await asyncio.to_thread(node.stop)
            await asyncio.to_thread(broker.close)
            await asyncio.to_thread(postgres.close)
