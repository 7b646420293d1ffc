"""The connection of a worker to the writer process, which the parent process supervises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

from server.storage.interface import StoreError
from server.storage.sqlite.supervisor import WRITER_EXITED, WriterProcess, WriterSupervisor

CONNECT_TIMEOUT_S = 5.0  # longer than the parent takes to restart the process
CONNECT_INTERVAL_S = 0.02
STDIN, STDOUT = 0, 1

P = TypeVar("P", bound=WriterProcess)


class LinkTransport(asyncio.SubprocessTransport):
    """Presents a connection to the writer process as the process itself: it exits when the connection is lost."""

    def __init__(self, connection: asyncio.Transport) -> None:
        super().__init__()
        self._connection = connection
        self.lost = False

    def get_pid(self) -> int:
        return 0

    def get_returncode(self) -> int | None:
        return 0 if self.lost else None

    def get_pipe_transport(self, fd: int) -> asyncio.BaseTransport | None:
        return self._connection

    def kill(self) -> None:
        self._connection.abort()

    def close(self) -> None:
        self._connection.close()


class LinkProtocol(asyncio.Protocol):
    """Passes the answers on to the protocol of a writer process."""

    def __init__(self, process: WriterProcess) -> None:
        self._process = process

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = LinkTransport(cast(asyncio.Transport, transport))
        self._process.connection_made(self._transport)

    def data_received(self, data: bytes) -> None:
        self._process.pipe_data_received(STDOUT, data)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport.lost = True
        self._process.process_exited()


class WriterLink(WriterSupervisor[P]):
    """Connects to the writer process, and again after it was restarted."""

    restart_delay_s = CONNECT_INTERVAL_S

    async def _spawn(self) -> P:
        loop = asyncio.get_running_loop()
        child = self._new_process()
        child.on_exit = partial(self._exited, child)
        connect: Callable[[], LinkProtocol] = partial(LinkProtocol, child)
        give_up_at = loop.time() + CONNECT_TIMEOUT_S
        while True:
            try:
                await loop.create_unix_connection(connect, self._address)
                return child
            except OSError:
                if loop.time() > give_up_at:
                    raise StoreError(WRITER_EXITED) from None
                await asyncio.sleep(CONNECT_INTERVAL_S)
