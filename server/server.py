"""What all connections of a server share, and what goes on by itself while it runs."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import TYPE_CHECKING

from protocol.replies import Closing
from protocol.usernames import fold
from server.cluster.bus import Bus
from server.cluster.clock_sync import StoreClock
from server.cluster.node import Neighbours
from server.config import Settings
from server.handlers.dispatcher import Desk
from server.logs import log
from server.metrics import Metrics
from server.rooms.processor import RETRY
from server.rooms.registry import Hall
from server.rooms.timers import Now
from server.storage.interface import Store, Unavailable
from server.transport.ip_limits import IpLimits

if TYPE_CHECKING:
    from server.transport.connection import Connection

SESSION_DAYS = 30
WELL = 60.0  # seconds without a refusal after which the store is well again, though nothing was asked of it
DRAIN = 2.5  # seconds until whoever stops the server loses patience, and some to say goodbye


class House:
    def __init__(self, settings: Settings, store: Store, bus: Bus, metrics: Metrics, clock: Now) -> None:
        self.settings, self.metrics, self.store = settings, metrics, store
        self.clock = StoreClock(clock)
        self.hall = Hall(store, bus, settings, metrics, self.clock if store.shared else clock)
        self.desk = Desk(self.hall)
        self.neighbours = Neighbours(self.hall, self.desk, self.clock)
        self.receive = self.desk.receive
        self.spawn = self.hall.spawn
        self.ip_limits = IpLimits(settings.connections_per_address)
        self.connections: set[Connection] = set()
        self.handshaking: set[Connection] = set()  # connections that have not sent an HTTP request yet
        self.unavailable = 0, 0.0  # refusals for want of the store, and since when there were no more

    # -- what connections need: server.transport.services

    @property
    def draining(self) -> bool:
        return self.hall.draining

    @property
    def store_error(self) -> str:
        return self.hall.failing

    @property
    def write_age_s(self) -> float:
        return self.store.write_age_s

    def connected(self, client: Connection) -> None:
        self.connections.add(client)

    def disconnected(self, client: Connection) -> None:
        self.connections.discard(client)
        self.desk.goodbye(client)

    def awaits_events(self, client: Connection) -> bool:
        return self.hall.lobby.expects(client)

    # -- running

    async def open(self) -> None:
        await self.neighbours.start()
        now = self.hall.now()
        await self.store.forget_sessions(now - SESSION_DAYS * 86_400_000)
        await self.hall.start()

    async def keep(self) -> None:
        """Until cancelled: measure the loop, close the silent, sweep the hall, say that the node is alive."""
        loop = asyncio.get_running_loop()
        pause = self.settings.sweep
        while True:
            began = loop.time()
            await asyncio.sleep(pause)
            self.metrics.loop_lag = max(0.0, loop.time() - began - pause)
            for peer in list(self.connections):
                why = peer.timeout_reason(loop.time())
                if why is not None:
                    peer.cut(1008, why)
            self.desk.matchmaker.look()
            try:
                await self.cut_the_revoked()
                await self.hall.sweep()
                if self.store.shared:
                    await self.neighbours.look()
                elif self.hall.failing or any(live.room.status == "running" for live in self.hall.rooms.values()):
                    await self.give_a_sign()
            except Unavailable as error:
                if self.store.shared:  # it cannot be reached: whoever cannot read there cannot write
                    self.hall.fails(error)
                log("store_failed", logging.ERROR, why=str(error))
            except Exception:
                self.bug("the sweep failed")

    async def give_a_sign(self) -> None:
        """Of life, so that a restart knows since when the house was away; if it cannot be written, no game goes on."""
        began = self.hall.now()
        try:
            await self.store.mark_alive(self.hall.node, self.hall.alive_at())
        except Unavailable as error:
            self.hall.fails(error, began)
            raise
        self.judge_the_store()

    def judge_the_store(self) -> None:
        """It has just written something: it is well, unless it refuses other things, as a full disk does."""
        refused, now = self.metrics.refusals["unavailable"], asyncio.get_running_loop().time()
        if refused != self.unavailable[0]:
            self.unavailable = refused, now
        elif now - self.unavailable[1] > WELL:
            self.hall.works()

    async def cut_the_revoked(self) -> None:
        """Whoever is here under an account that is revoked meanwhile, or under a name that got an owner, has to go."""
        if not any(peer.player for peer in self.connections):
            return
        accounts = [account for account in await self.store.accounts() if account.revoked_at is None]
        active = {account.player for account in accounts}
        owned = {fold(account.name) for account in accounts}
        for peer in list(self.connections):
            player = peer.player
            if player is None:
                continue
            if player.account and player.id not in active:
                peer.cut(1008, "your account has been revoked")
            elif not player.account and fold(player.name) in owned:
                peer.cut(1008, "your name has an owner now; come back with another")

    async def drain(self) -> None:
        """Tell everyone, and let what was begun become durable."""
        log("draining", connections=len(self.connections))
        self.hall.draining = True
        for peer in list(self.connections):
            peer.send(Closing(text="the server restarts; come back", retry_after=RETRY))
        self.store.fail_fast()
        try:
            async with asyncio.timeout(DRAIN):
                await self.hall.drain()
                await self.store.mark_alive(self.hall.node, self.hall.alive_at())
        except (Unavailable, TimeoutError) as error:
            log("store_failed", logging.ERROR, why=str(error) or "it takes too long")

    def turn_away_the_silent(self) -> None:
        for connection in list(self.handshaking):
            connection.transport.abort()

    def bug(self, text: str) -> None:
        log(text, logging.ERROR, trace=True)

    def gauges(self) -> dict[str, float]:
        return {
            "connections": len(self.connections),
            "store_queue_length": self.store.queued,
            "room_queue_length": sum(len(live.queue) for live in self.hall.rooms.values()),
            "send_queue_bytes": sum(peer.backlog() for peer in self.connections),
            "clock_skew_seconds": self.clock.skew / 1000,
            "bus_up": float(self.hall.bus.up),
            "bus_lost_messages": self.hall.bus.lost,
        }

    def rooms(self) -> Counter[tuple[str, str]]:
        return Counter((live.room.setup.game, live.room.status) for live in self.hall.rooms.values())
