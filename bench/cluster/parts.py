"""A whole cluster: PostgreSQL, a broker, nodes, and a balancer in front of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.cluster.balancer import Balancer
from bench.cluster.broker import Broker
from bench.cluster.node import Node
from bench.cluster.postgres import Postgres


class Cluster:
    """Starts and stops all parts. `flags` are passed to every node; `port` is that of the balancer."""

    def __init__(self, nodes: int = 2, flags: tuple[str, ...] = (), port: int = 0, durable: bool = True) -> None:
        self.postgres = Postgres(durable)
        self.broker = Broker()
        self._count, self._flags, self._port = nodes, flags, port
        self.nodes: list[Node] = []
        self.balancer: Balancer | None = None

    @property
    def db(self) -> str:
        return self.postgres.url()

    @property
    def url(self) -> str:
        assert self.balancer is not None
        return self.balancer.url

    async def start(self) -> None:
        await asyncio.to_thread(self.postgres.start)
        await asyncio.to_thread(self.broker.start)
        await self.start_nodes()

    async def start_nodes(self, first_bus: str = "") -> None:
        """Start the nodes and the balancer. `first_bus`: the broker for the first node, if it has another address."""
        log = Path(self.broker.folder / "nodes.log")
        buses = [first_bus or self.broker.url, *[self.broker.url] * (self._count - 1)]
        self.nodes = [Node(self.db, bus, *self._flags, log=log) for bus in buses]
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            await asyncio.to_thread(node.wait)
        self.balancer = Balancer([node.port for node in self.nodes], self._port)
        await self.balancer.start()

    async def close(self) -> None:
        if self.balancer is not None:
            await self.balancer.close()
        for node in self.nodes:
            await asyncio.to_thread(node.stop)
        await asyncio.to_thread(self.broker.close)
        await asyncio.to_thread(self.postgres.close)
