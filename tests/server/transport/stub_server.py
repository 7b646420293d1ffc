"""A server without rooms and without a store: real connections, and a dispatcher that answers every command."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from protocol.commands import AnyCommand
from protocol.replies import Ok
from runtime.tasks import BackgroundTasks
from server.config import Settings
from server.metrics import Metrics
from server.transport.connection import Connection
from server.transport.ip_limits import IpLimits
from server.transport.listener import listen
from server.vouchers import Voucher
from tests.e2e.local_server import until


class StubStatus:
    """A healthy server."""

    draining = False
    store_error = ""


class StubServices:
    """The services that a connection needs. Tests set the attributes that they are about."""

    def __init__(self, **settings: Any) -> None:
        values = {"port": 0, "rate": 1e6, "burst": 1_000_000, "ping_interval": 1000.0, "hello_timeout": 1000.0}
        self.settings = Settings(**{**values, **settings})
        self.metrics = Metrics()
        self.ip_limits = IpLimits(self.settings)
        self.handshaking: set[Any] = set()
        self.connections: set[Connection] = set()
        self.commands: list[AnyCommand] = []
        self.slow: dict[int, Coroutine[Any, Any, None]] = {}  # what to wait for before the answer, by the command's id
        self.status = StubStatus()
        self.waits = False  # for events
        self.spawn = BackgroundTasks().start
        self.port = 0
        self.vouchers: dict[str, Voucher] = {}  # by the text of the header

    def receive(self, client: Connection, command: AnyCommand) -> Coroutine[Any, Any, None] | None:
        self.commands.append(command)
        if command.id in self.slow:
            return self.answer_slowly(client, command)
        client.send(Ok(id=command.id))
        return None

    async def answer_slowly(self, client: Connection, command: AnyCommand) -> None:
        await self.slow.pop(command.id)
        client.send(Ok(id=command.id))

    def voucher_of(self, headers: Sequence[str]) -> Voucher | None:
        return self.vouchers.get(headers[0]) if headers else None

    def disconnected(self, client: Connection) -> None:
        self.connections.discard(client)

    def awaits_events(self, client: Connection) -> bool:
        return self.waits

    async def collect_metrics(self) -> None:
        pass

    def metrics_text(self) -> str:
        return self.metrics.text({"connections": len(self.connections)}, {("conga", "running"): 2})

    async def connection(self) -> Connection:
        """Return the only connection, as soon as it is open."""
        await until("the connection is open", lambda: len(self.connections) == 1)
        return next(iter(self.connections))


@asynccontextmanager
async def stub_server(**settings: Any) -> AsyncIterator[StubServices]:
    """Listen on a free port, and stop at the end of the block."""
    services = StubServices(**settings)
    server = await listen(services)
    services.port = next(iter(server.sockets)).getsockname()[1]
    yield services
    server.close()
    for connection in list(services.handshaking):
        connection.transport.abort()
    await server.wait_closed()
