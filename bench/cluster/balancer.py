"""A small TCP balancer: passes each connection to the next node that accepts it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from runtime.tasks import BackgroundTasks

CONNECT_TIMEOUT_S = 1.0


class Balancer:
    """Listens on one port for all nodes."""

    def __init__(self, ports: list[int], port: int = 0) -> None:
        self._ports = ports
        self._wanted = port
        self._next = 0
        self._server: asyncio.Server | None = None
        self._tasks = BackgroundTasks()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._wanted)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        await self._tasks.cancel()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.start(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            node = await self._connect()
            if node is not None:
                await relay((reader, writer), node)
        finally:
            writer.close()

    async def _connect(self) -> Streams | None:
        for _ in self._ports:
            port = self._ports[self._next % len(self._ports)]
            self._next += 1
            with suppress(OSError, TimeoutError):
                return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), CONNECT_TIMEOUT_S)
        return None


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def relay(client: Streams, node: Streams) -> None:
    """Pass data in both directions until one side closes."""
    both = [asyncio.create_task(copy(client[0], node[1])), asyncio.create_task(copy(node[0], client[1]))]
    try:
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        node[1].close()


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
