"""Network faults: a proxy that cuts connections, delays and drops bytes, and a transport whose peer does not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any
from urllib.parse import urlsplit


class FaultProxy:
    """A TCP proxy between clients and a server.

    `cut_between` cuts each connection after a random number of bytes from the client, before or after they arrive.
    """

    def __init__(self, target: str, seed: int = 0) -> None:
        parts = urlsplit(target)
        assert parts.hostname is not None
        assert parts.port is not None
        self._target = parts.hostname, parts.port
        self._rng = Random(seed)
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut_between: tuple[int, int] | None = None
        self.flows = asyncio.Event()  # while it is not set, both directions wait
        self.flows.set()
        self.swallow = False  # the connection stays open, but all bytes are dropped
        self.refuse = False
        self.cuts = self.connections = 0
        self.url = ""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[FaultProxy]:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        try:
            yield self
        finally:
            server.close()
            self.cut()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    @property
    def live(self) -> int:
        return len(self._pairs)

    def cut(self) -> None:
        """Cut all connections at once, as if a cable was pulled."""
        for pair in list(self._pairs):
            self._pairs.discard(pair)
            self.cuts += 1
            for writer in pair:
                writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuse:
            writer.transport.abort()
            return
        self.connections += 1
        try:
            there, back = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        pair = (writer, back)
        self._pairs.add(pair)
        allowed = None if self.cut_between is None else self._rng.randint(*self.cut_between)
        hole = self.swallow
        for coroutine in (self._copy(reader, back, pair, allowed, hole), self._copy(there, writer, pair, None, hole)):
            task = asyncio.create_task(coroutine)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _copy(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        pair: tuple[asyncio.StreamWriter, asyncio.StreamWriter],
        allowed: int | None,
        hole: bool,
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if allowed is not None:
                    allowed -= len(data)
                    if allowed <= 0:
                        if self._rng.random() < 0.5:  # the bytes arrive, but the reply is lost
                            writer.write(data)
                            await writer.drain()
                        self._end(pair)
                        return
                await self.flows.wait()
                if not (self.swallow or hole):
                    writer.write(data)
                    await writer.drain()
        self._end(pair, counts=False)

    def _end(self, pair: tuple[asyncio.StreamWriter, asyncio.StreamWriter], counts: bool = True) -> None:
        if pair in self._pairs:
            self._pairs.discard(pair)
            self.cuts += counts
            for writer in pair:
                writer.transport.close() if counts else writer.transport.abort()


class Unread:
    """A transport whose peer has stopped reading. Writing is paused."""

    def __init__(self, transport: Any) -> None:
        self.abort, self.write, self.is_closing = transport.abort, transport.write, transport.is_closing
        transport.get_protocol().pause_writing()

    def get_write_buffer_size(self) -> int:
        return 10**9
