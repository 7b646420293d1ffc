"""Wiring: build the parts of a server, hand each its collaborators, run it, and shut it down."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from socket import socket
from typing import NamedTuple

from engine.registry import GAMES
from runtime.event_loop import run_loop
from runtime.printable import print_lines
from runtime.signals import calls_on_exit_signal
from runtime.tasks import BackgroundTasks
from server.cluster.bus import Bus, BusError, LocalBus, WorkerBus
from server.cluster.clock_sync import StoreClock
from server.cluster.node import Node
from server.cluster.unix.descriptors import DescriptorLink
from server.config import Settings
from server.handlers.dispatcher import Dispatcher
from server.handlers.hello import HelloHandler
from server.handlers.queries import QueryHandler
from server.handlers.revocations import Revocations
from server.handover import Handover
from server.ids import new_player_id, new_room_id_at
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.lobby.matchmaker import Matchmaker
from server.lobby.progress import ProgressReports
from server.lobby.reviews import Reviews
from server.lobby.tournaments import TournamentReports
from server.lobby.watcher_counts import WatcherCounts
from server.logs import configure_logging, log
from server.metrics import Metrics, worker_file
from server.rooms.abort_pauses import ABORTS, AbortPauses
from server.rooms.admission import NEW_ROOMS, Admission
from server.rooms.broadcast import Broadcaster
from server.rooms.catch_up import CatchUp
from server.rooms.chat import ChatLimits
from server.rooms.membership import Membership
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomProcessor
from server.rooms.registry import RoomRegistry
from server.rooms.status import NodeStatus
from server.rooms.timers import Now, RoomTimers, now
from server.server import Server
from server.storage.factory import open_store, refuse_unfinished_copy, wrap_store_errors
from server.storage.interface import Store, without_password
from server.storage.retention import Retention
from server.transport.connection import Arrival, Connection
from server.transport.ip_limits import COMMANDS, CONNECTIONS, IpLimits
from server.transport.listener import WebSocketServer, arriving_connections, check_port, listen, url_of
from server.transport.website import Website

SERVICE_RESTART = 1012  # close code


class App:
    """All parts of one server, wired together."""

    def __init__(
        self, settings: Settings, store: Store, bus: Bus, metrics: Metrics, clock: Now = now, node: str = ""
    ) -> None:
        self.settings, self.store, self.bus, self.metrics = settings, store, bus, metrics
        self.node_id = node or new_player_id()
        self.clock = StoreClock(clock)
        self.now: Now = self.clock if store.shared else clock
        self.tasks = BackgroundTasks()
        # rooms
        self.status = NodeStatus(self.now)
        self.broadcaster = Broadcaster(settings, self.now)
        self.timers = RoomTimers(self.now)
        self.processor = RoomProcessor(
            store=store,
            bus=bus,
            broadcaster=self.broadcaster,
            catch_up=CatchUp(store, self.broadcaster, self.now),
            timers=self.timers,
            status=self.status,
            metrics=metrics,
            tasks=self.tasks,
            now=self.now,
        )
        self.registry = RoomRegistry(
            store=store,
            processor=self.processor,
            broadcaster=self.broadcaster,
            timers=self.timers,
            status=self.status,
            metrics=metrics,
            now=self.now,
        )
        self.presence = PresenceTracker(store, self.node_id, self.tasks)
        # lobby
        self.watcher_counts = WatcherCounts(self.registry.rooms)
        self.feed = LobbyFeed(settings.lobby_tick, self.watcher_counts)
        self.progress = ProgressReports(
            registry=self.registry, feed=self.feed, advance=bus.advance, shared=store.shared
        )
        self.invitations = Invitations(
            presence=self.presence, bus=bus, feed=self.feed, rooms=self.registry.rooms, now=self.now
        )
        self.tournaments = TournamentReports(bus.report, self.now)
        self.reviews = Reviews(
            node=self.node_id,
            reviewers=settings.reviewers,
            store=store,
            registry=self.registry,
            presence=self.presence,
            announce=bus.announce_review,
            tasks=self.tasks,
            now=self.now,
        )
        self.pauses = AbortPauses(self.now)
        self.membership = Membership(
            store=store,
            bus=bus,
            registry=self.registry,
            processor=self.processor,
            broadcaster=self.broadcaster,
            presence=self.presence,
            pauses=self.pauses,
            status=self.status,
            tasks=self.tasks,
            now=self.now,
        )
        self.admission = Admission(
            store=store,
            registry=self.registry,
            processor=self.processor,
            pauses=self.pauses,
            settings=settings,
            now=self.now,
        )
        self.matchmaker = Matchmaker(
            store=store,
            registry=self.registry,
            processor=self.processor,
            admission=self.admission,
            broadcaster=self.broadcaster,
            feed=self.feed,
            invite=self.invitations.send,
            tasks=self.tasks,
            now=self.now,
        )
        # several nodes
        self.node = Node(
            id=self.node_id,
            store=store,
            bus=bus,
            clock=self.clock,
            registry=self.registry,
            membership=self.membership,
            presence=self.presence,
            feed=self.feed,
            progress=self.progress,
            watcher_counts=self.watcher_counts,
            invitations=self.invitations,
            tournaments=self.tournaments,
            reviews=self.reviews,
            status=self.status,
            tasks=self.tasks,
            now=self.now,
        )
        # commands
        self.dispatcher = Dispatcher(
            settings=settings,
            registry=self.registry,
            processor=self.processor,
            broadcaster=self.broadcaster,
            membership=self.membership,
            presence=self.presence,
            admission=self.admission,
            chat=ChatLimits(settings, self.now),
            feed=self.feed,
            invitations=self.invitations,
            matchmaker=self.matchmaker,
            tournaments=self.tournaments,
            reviews=self.reviews,
            hello=HelloHandler(
                node=self.node_id,
                settings=settings,
                store=store,
                registry=self.registry,
                membership=self.membership,
                presence=self.presence,
                feed=self.feed,
                invitations=self.invitations,
                status=self.status,
                now=self.now,
            ),
            queries=QueryHandler(
                store=store,
                registry=self.registry,
                feed=self.feed,
                progress=self.progress,
                watcher_counts=self.watcher_counts,
                now=self.now,
            ),
            status=self.status,
            now=self.now,
        )
        self.ip_limits = IpLimits(settings)
        self.server = Server(
            settings=settings,
            metrics=metrics,
            store=store,
            bus=bus,
            clock=self.clock,
            status=self.status,
            registry=self.registry,
            broadcaster=self.broadcaster,
            dispatcher=self.dispatcher,
            revocations=Revocations(store),
            matchmaker=self.matchmaker,
            invitations=self.invitations,
            feed=self.feed,
            tournaments=self.tournaments,
            reviews=self.reviews,
            progress=self.progress,
            node=self.node,
            ip_limits=self.ip_limits,
            tasks=self.tasks,
        )
        self.retention = Retention(
            store=store,
            settings=settings,
            metrics=metrics,
            now=self.now,
            is_loaded=self.registry.rooms.__contains__,
            connected=lambda: [client.player.id for client in self.server.connections if client.player is not None],
        )
        # events: which part is called when something happens
        self.timers.on_deadline = self.processor.check_deadline
        for observer in (self.registry, self.membership, self.pauses, self.feed):  # in this order
            self.processor.observe(observer)
        self.status.on_recovery(self.registry.credit_outage)
        self.status.on_stall(self.registry.credit_outage)
        self.status.on_recovery(self.membership.record_presence)
        self.status.on_recovery(self.node.recovered)
        self.status.on_stall(self.node.recovered)
        bus.listen(self.node)
        self.feed.on_bots = bus.introduce
        self.registry.on_load, self.registry.on_forget = bus.follow, bus.unfollow

    def join_workers(self, bus: WorkerBus, worker: Worker) -> None:
        """Connect limits, metrics and connections of this worker with those of the others."""
        limits, node = self.ip_limits, self.node
        limits.share = self.pauses.share = self.admission.share = bus.share
        node.on_numbers = {
            CONNECTIONS: limits.count_elsewhere,
            COMMANDS: lambda worker, spent: limits.spend_elsewhere(spent, asyncio.get_running_loop().time()),
            ABORTS: lambda worker, aborts: self.pauses.note_elsewhere(aborts),
            NEW_ROOMS: lambda worker, created: self.admission.count_rooms_elsewhere(created),
        }
        node.shared_numbers = lambda: {CONNECTIONS: limits.counts()}
        node.node_left = limits.forget_worker
        node.metrics_sample = self.server.metrics_sample
        self.admission.new_room_id = self.membership.new_room_id = partial(new_room_id_at, worker.index, worker.count)
        self.server.handover = Handover(
            worker=worker.index,
            workers=worker.count,
            node=self.node_id,
            link=DescriptorLink(worker.folder, worker.index),
            store=self.store,
            registry=self.registry,
            processor=self.processor,
            membership=self.membership,
            presence=self.presence,
            feed=self.feed,
            invitations=self.invitations,
            status=self.status,
            metrics=self.metrics,
            tasks=self.tasks,
            waits_here=self.server.waits_here,
            now=self.now,
        )


class Running(NamedTuple):
    """A server that listens."""

    url: str
    app: App


@dataclass(frozen=True, slots=True)
class Worker:
    """The place of a process among the workers of a server."""

    index: int
    count: int
    node: str  # its id as a node
    folder: str  # of the unix sockets of all workers and of the writer process
    sockets: list[socket]  # where it listens
    alone: bool  # this worker starts before all others, and no other server uses the store
    clock: Now


def writer_address(folder: str) -> str:
    """Return the unix socket of the process that writes a SQLite file for all workers."""
    return str(Path(folder) / "writer")


Companion = Callable[[str, Store], AbstractAsyncContextManager[None]]  # the server's URL, and its store
Greeting = Callable[[str], str]


@asynccontextmanager
async def running(
    settings: Settings, clock: Now = now, website: Website | None = None, worker: Worker | None = None
) -> AsyncIterator[Running]:
    """Serve until the block is left, then drain. Raises BadSetting, BusError, StoreError or OSError.

    `worker`: serve as one of several workers.
    """
    if worker is None:
        await check_port(settings)
    metrics = Metrics(worker_file(worker.folder, worker.index) if worker else None)
    address = writer_address(worker.folder) if worker else ""
    store = open_store(settings.db, metrics.observe_commit, settings.db_pool, writer=address, worker=worker is not None)
    node = worker.node if worker else new_player_id()
    near = open_worker_bus(settings, store, node, worker) if worker else None
    bus = near or open_bus(settings, store, node)
    await store.open(serving=True)
    app = App(settings, store, bus, metrics, worker.clock if worker else clock, node)
    if near is not None and worker is not None:
        app.join_workers(near, worker)
    server = app.server
    try:
        async with wrap_store_errors(store):
            await refuse_unfinished_copy(store)
            await server.start(worker is not None and worker.alone)
        await bus.open()
        listeners = await start_listening(server, website, worker)
        if server.handover is not None:
            server.handover.open(partial(connect_socket, arriving_connections(server, website, listeners[0])))
        sweeping = asyncio.gather(server.run(), server.keep_pulse(), app.retention.run())
        try:
            yield Running(url_of(settings, next(iter(listeners[0].sockets))), app)
        finally:
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping
            await server.drain()
            for listener in listeners:
                listener.close(code=SERVICE_RESTART, reason="restart")
            server.abort_handshakes()
            if server.handover is not None:
                server.handover.close()
            for listener in listeners:
                await listener.wait_closed()
    finally:
        await app.tasks.cancel()  # commands that are still being answered need the store
        await asyncio.gather(bus.close(), store.close())


async def start_listening(server: Server, website: Website | None, worker: Worker | None) -> list[WebSocketServer]:
    """Listen at the address of the settings, or on the sockets of a worker. Raises BadSetting or OSError."""
    if worker is None:
        return [await listen(server, website)]
    header = f"parlour (worker {worker.index})"
    return [await listen(server, website, sock, header) for sock in worker.sockets]


async def connect_socket(create: Callable[[Arrival], Connection], sock: socket, arrival: Arrival) -> None:
    """Connect a socket of another worker. Raises OSError."""
    await asyncio.get_running_loop().connect_accepted_socket(lambda: create(arrival), sock)


def open_bus(settings: Settings, store: Store, node: str) -> Bus:
    """Return the bus of a node that `--bus` names. Raises BusError."""
    return open_mqtt_bus(settings, store, node) if settings.bus else LocalBus()


def open_worker_bus(settings: Settings, store: Store, node: str, worker: Worker) -> WorkerBus:
    """Return the bus between workers, with the one that `--bus` names. Raises BusError."""
    from server.cluster.bus_pair import BusPair
    from server.cluster.unix.bus import UnixBus

    near = UnixBus(worker.folder, node, worker.index, worker.count)
    return BusPair(near, open_mqtt_bus(settings, store, node, near.is_near)) if settings.bus else near


def open_mqtt_bus(
    settings: Settings, store: Store, node: str, is_near: Callable[[str], bool] = lambda node: False
) -> Bus:
    """Return the bus of an MQTT broker. Raises BusError."""
    try:
        from server.cluster.mqtt.bus import MqttBus
    except ImportError:
        raise BusError("MQTT support is not installed: run pip install -e '.[mqtt]' in the folder of Parlour") from None
    return MqttBus(settings, store, node, is_near)


async def serve_until_stopped(
    settings: Settings, companion: Companion, greeting: Greeting | None, website: Website | None = None
) -> None:
    """Print the address or the greeting, and serve until a signal. `companion` runs along with the server."""
    stopped = asyncio.Event()
    with calls_on_exit_signal(lambda number: stopped.set()):  # on Windows the command line handles Ctrl-C
        async with running(settings, website=website) as server:
            print_lines(greeting(server.url) if greeting else f"parlour: listening on {server.url}", flush=True)
            log("listening", url=server.url, db=without_password(settings.db))
            async with companion(server.url, server.app.store):
                await stopped.wait()
        log("stopped")


def main(
    settings: Settings,
    companion: Companion = lambda url, store: nullcontext(),
    greeting: Greeting | None = None,
    website: Website | None = None,
) -> None:
    """Run a server until it is told to stop.

    `companion` is a context manager that runs along with the server. `greeting` makes a text for people from the
    server's URL; without it, the server prints one line that programs can read: `parlour: listening on ws://…`.
    `website` has the pages for browsers.
    """
    configure_logging(settings.log_level, settings.log, greeted=greeting is not None)
    log_refused_games()
    tune_interpreter()
    run_loop(serve_until_stopped(settings, companion, greeting, website))


def log_refused_games() -> None:
    """Log which games of other packages cannot be played, and why."""
    for game, why in GAMES.refused.items():
        log("game_refused", logging.WARNING, game=game, why=why)


def tune_interpreter() -> None:
    """Adapt the garbage collector and the threads to a server."""
    gc.freeze()  # what is loaded now stays: the collector need not scan it again
    gc.set_threshold(700, 2, 10_000)  # many short collections: one of 20,000 objects takes 5 to 8 ms
    sys.setswitchinterval(0.0005)  # the thread that reads the database must not wait long for the GIL
