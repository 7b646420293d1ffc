"""Services: what a connection and the HTTP handler need from the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from protocol.commands import AnyCommand
from server.config import Settings
from server.metrics import Metrics
from server.transport.ip_limits import IpLimits
from server.vouchers import Voucher


class Status(Protocol):
    """Whether the server is healthy."""

    draining: bool  # the server is about to stop
    store_error: str  # why the store cannot write; empty if it can


class Services(Protocol):
    """Implemented by the server. Parameters named `client` take a Connection."""

    @property
    def settings(self) -> Settings: ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def ip_limits(self) -> IpLimits: ...

    @property
    def handshaking(self) -> set[Any]:
        """Connections whose HTTP request has not come yet, or waits for its answer."""

    @property
    def connections(self) -> set[Any]:
        """Connections after the WebSocket handshake."""

    @property
    def status(self) -> Status: ...

    @property
    def receive(self) -> Callable[[Any, AnyCommand], Coroutine[Any, Any, None] | None]:
        """Handle a client's command. Return the rest of the work if the next command has to wait for it."""

    @property
    def spawn(self) -> Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]:
        """Run a coroutine in the background."""

    def voucher_of(self, headers: Sequence[str]) -> Voucher | None:
        """Return what the SSH service vouches for in the headers of a request, or None."""

    def disconnected(self, client: Any) -> None:
        """Remove a client from `connections`, the lobby and its rooms. Calling it twice is safe."""

    def awaits_events(self, client: Any) -> bool:
        """Return whether a client watches the lobby or waits for invitations."""

    async def collect_metrics(self) -> None:
        """Ask the other workers of this machine for their metrics."""

    def metrics_text(self) -> str:
        """Return the metrics of all workers, for Prometheus."""
