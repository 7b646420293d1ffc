"""The running server: its connections, periodic work, and draining."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Sequence

from protocol.replies import Closing
from runtime.tasks import BackgroundTasks
from server.cluster.bus import Bus
from server.cluster.clock_sync import StoreClock
from server.cluster.node import Node
from server.config import Settings
from server.handlers.dispatcher import Dispatcher
from server.handlers.revocations import Revocations
from server.handover import Handover
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.lobby.matchmaker import Matchmaker
from server.lobby.progress import ProgressReports
from server.lobby.reviews import Reviews
from server.lobby.tournaments import TournamentReports
from server.logs import log
from server.metrics import Metrics, Sample, total_text
from server.rooms.broadcast import Broadcaster
from server.rooms.registry import RoomRegistry
from server.rooms.status import PULSE_INTERVAL_S, RETRY_AFTER_S, NodeStatus
from server.storage.interface import Store, Unavailable
from server.transport.connection import Connection
from server.transport.ip_limits import IpLimits
from server.vouchers import VOUCHER_KEY, Voucher, read_voucher

STORE_RECOVERY_S = 60.0  # after this long without a refused write, the store counts as healthy again
DRAIN_TIMEOUT_S = 2.5  # service managers kill a server that takes much longer to stop


class Server:
    """Implements server.transport.services.Services for connections, and runs the sweep."""

    def __init__(
        self,
        *,
        settings: Settings,
        metrics: Metrics,
        store: Store,
        bus: Bus,
        clock: StoreClock,
        status: NodeStatus,
        registry: RoomRegistry,
        broadcaster: Broadcaster,
        dispatcher: Dispatcher,
        revocations: Revocations,
        matchmaker: Matchmaker,
        invitations: Invitations,
        feed: LobbyFeed,
        tournaments: TournamentReports,
        reviews: Reviews,
        progress: ProgressReports,
        node: Node,
        ip_limits: IpLimits,
        tasks: BackgroundTasks,
    ) -> None:
        self.settings, self.metrics = settings, metrics
        self._store, self._bus, self._clock, self.status = store, bus, clock, status
        self._registry, self._broadcaster, self._dispatcher, self._matchmaker = (
            registry, broadcaster, dispatcher, matchmaker,
        )  # fmt: skip
        self._feed, self._progress, self._node, self._tasks = feed, progress, node, tasks
        self._invitations, self._tournaments, self._revocations = invitations, tournaments, revocations
        self._reviews = reviews
        self.receive, self.spawn = dispatcher.receive, tasks.start
        self.ip_limits = ip_limits
        self.connections: set[Connection] = set()
        self.handshaking: set[Connection] = set()  # their HTTP request has not come, or waits for its answer
        self.handover: Handover | None = None  # if there are other workers
        self._samples: list[Sample] = []  # the metrics of other workers
        self._voucher_key = b""  # of the SSH service, if there is one
        self._refusals = 0, 0.0  # refusals because of the store, and when their number last changed

    # -- what connections need: server.transport.services

    def voucher_of(self, headers: Sequence[str]) -> Voucher | None:
        """Return what the SSH service vouches for in the headers of a request, or None."""
        if not self._voucher_key or len(headers) != 1:
            return None
        return read_voucher(headers[0], self._voucher_key, int(time.time() * 1000))

    def disconnected(self, client: Connection) -> None:
        """Remove a client from the server, the lobby and its rooms."""
        self.connections.discard(client)
        self._dispatcher.disconnected(client)

    def awaits_events(self, client: Connection) -> bool:
        """Return whether a client watches the lobby or a tournament, or waits for invitations or a review."""
        waits = self._feed.is_listening(client) or self._tournaments.is_watching(client)
        return waits or self._reviews.is_waiting(client)

    def waits_here(self, client: Connection) -> bool:
        """Return whether a client waits for something that only this worker can send."""
        waits = self._feed.is_in_lobby(client) or self._tournaments.is_watching(client)
        return waits or self._reviews.is_waiting(client)

    async def collect_metrics(self) -> None:
        """Ask the other workers of this machine for their metrics."""
        self._samples = await self._bus.metrics_samples()

    def metrics_text(self) -> str:
        """Return the metrics of all workers, for Prometheus."""
        return total_text([self.metrics_sample(), *self._samples])

    def metrics_sample(self) -> Sample:
        """Return the metrics of this worker."""
        return self.metrics.sample(self.gauges(), self.rooms())

    def gauges(self) -> dict[str, float]:
        """Return the current values for the metrics page, by name."""
        return {
            "connections": len(self.connections),
            "store_queue_length": self._store.queued,
            "room_queue_length": sum(len(live.queue) for live in self._registry.rooms.values()),
            "send_queue_bytes": sum(client.backlog() for client in self.connections),
            "clock_skew_seconds": self._clock.skew / 1000,
            "bus_up": float(self._bus.up),
            "bus_responsive": float(self._bus.responsive),
            "bus_overloaded": float(self._bus.overloaded),
            "bus_unsent_bytes": self._bus.unsent_bytes,
            "bus_coalesced_messages": self._bus.coalesced,
            "bus_lost_messages": self._bus.lost,
            "bus_unreadable_messages": self._bus.unreadable,
        }

    def rooms(self) -> Counter[tuple[str, str]]:
        """Return the number of rooms by game and status."""
        return Counter((live.room.setup.game, live.room.status) for live in self._registry.rooms.values())

    # -- running

    async def start(self, alone: bool = False) -> None:
        """Synchronise the clock, and resume open games. Raises StoreError or Unavailable.

        `alone`: no other node or worker is running, even if a heartbeat is recent.
        """
        await self._node.start()
        if self.settings.ssh:
            self._voucher_key = await self._store.key(VOUCHER_KEY)
        await self._revocations.start()
        await self._registry.start(self._node.id, alone)
        await self._reviews.start()

    async def run(self) -> None:
        """Sweep until cancelled: time-outs, matchmaking, invitations, revoked accounts, deadlines, heartbeat."""
        loop = asyncio.get_running_loop()
        interval = self.settings.sweep
        while True:
            began = loop.time()
            await asyncio.sleep(interval)
            self.metrics.loop_lag = max(0.0, loop.time() - began - interval)
            for client in list(self.connections):
                reason = client.timeout_reason(loop.time())
                if reason is not None:
                    client.cut(1008, reason)
            self._matchmaker.sweep()
            self._invitations.sweep()
            self._reviews.sweep()
            try:
                if self._store.shared:
                    await self._node.sweep()  # first: without a heartbeat, other nodes count this one as dead
                self._check_store()
                await self._revocations.apply(self.connections, loop.time())
                self._progress.report()
                await self._registry.sweep()
                if not self._store.shared and (self.status.store_error or await self._store.has_running_rooms()):
                    await self._write_heartbeat()
                if self.handover is not None:
                    self.handover.sweep(self.connections)
            except Unavailable as error:
                if self._store.shared:  # a database that cannot be read cannot be written to either
                    self.status.store_failed(error)
                log("store_failed", logging.ERROR, why=str(error))
            except Exception:
                log("sweep_failed", logging.ERROR, trace=True)

    async def keep_pulse(self) -> None:
        """Notice, until cancelled, when this process was stopped, and when the store hangs."""
        while True:
            self.status.pulse()
            self.status.note_write_age(max(self._store.write_age_s, self._node.heartbeat_age_s))
            await asyncio.sleep(PULSE_INTERVAL_S)

    def _check_store(self) -> None:
        """Count the store as failed if its database was deleted or replaced. Raises Unavailable."""
        try:
            self._store.check()
        except Unavailable as error:
            self.status.store_failed(error)
            raise

    async def _write_heartbeat(self) -> None:
        """Record that the server is up, so that a restart knows the downtime. A failure stops all clocks."""
        began = self._node.now()
        try:
            await self._store.mark_alive(self._node.id, self.status.worked_until())
        except Unavailable as error:
            self.status.store_failed(error, began)
            raise
        self._judge_store()

    def _judge_store(self) -> None:
        """Count the store as healthy, unless it still refuses other writes, as a full disk does."""
        refused, now = self.metrics.refusals["unavailable"], asyncio.get_running_loop().time()
        if refused != self._refusals[0]:
            self._refusals = refused, now
        elif now - self._refusals[1] > STORE_RECOVERY_S:
            self.status.store_works()

    async def drain(self) -> None:
        """Tell every client that the server restarts, and make durable what has begun."""
        log("draining", connections=len(self.connections))
        self.status.draining = True
        for client in list(self.connections):
            client.send(Closing(text="the server is restarting; reconnect in a moment", retry_after=RETRY_AFTER_S))
        self._store.fail_fast()
        try:
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                if tasks := list(self._tasks):
                    await asyncio.wait(tasks, timeout=RETRY_AFTER_S)
                await self._store.flush()
                self._broadcaster.flush()
                await self._store.mark_alive(self._node.id, self.status.worked_until())
        except (Unavailable, TimeoutError) as error:
            log("store_failed", logging.ERROR, why=str(error) or "it takes too long")

    def abort_handshakes(self) -> None:
        """Abort connections whose HTTP request has not come, or waits for its answer."""
        for connection in list(self.handshaking):
            connection.transport.abort()
