"""A connection to a server that can be cut while both ends work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from runtime.tasks import BackgroundTasks

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Link:
    """Passes connections on to a server. While it is cut, it accepts connections and data and passes nothing on."""

    def __init__(self, connect: Callable[[], Awaitable[Streams]]) -> None:
        self._connect = connect
        self._whole = asyncio.Event()
        self._whole.set()
        self._tasks = BackgroundTasks()
        self.port = 0

    async def start(self, host: str = "127.0.0.1") -> Link:
        self._server = await asyncio.start_server(self._accept, host, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def close(self) -> None:
        self._server.close()
        await self._tasks.cancel()

    @contextmanager
    def cut(self) -> Iterator[None]:
        self._whole.clear()
        try:
            yield
        finally:
            self._whole.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.start(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._whole.wait()
            far_reader, far_writer = await self._connect()
            try:
                async with asyncio.TaskGroup() as both:
                    both.create_task(self._copy(reader, far_writer))
                    both.create_task(self._copy(far_reader, writer))
            finally:
                far_writer.close()
        except* OSError:
            pass
        finally:
            writer.close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass data on. Raises an OSError at its end, so that the other direction ends as well."""
        while data := await reader.read(65536):
            await self._whole.wait()
            writer.write(data)
            await writer.drain()
        raise ConnectionResetError


async def link_to_broker(url: str, host: str = "127.0.0.1") -> Link:
    port = urlsplit(url).port
    return await Link(lambda: asyncio.open_connection("127.0.0.1", port)).start(host)
