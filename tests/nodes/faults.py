"""Faults of the parts of a cluster: processes that are stopped, and links that pass nothing on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from bench.cluster.postgres import Postgres
from runtime.tasks import BackgroundTasks

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def descendants(pid: int) -> list[int]:
    """Return a process and its child processes."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, task.read_text().split())
    return found


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process and its child processes, as a frozen machine does, and let them go on afterwards."""
    pids = descendants(pid)
    for each in pids:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in reversed(pids):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)


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


async def link_to_postgres(postgres: Postgres, host: str = "127.0.0.1") -> Link:
    socket = str(postgres.folder / ".s.PGSQL.5432")
    return await Link(lambda: asyncio.open_unix_connection(socket)).start(host)
