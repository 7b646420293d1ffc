"""Wiring: the parts of a server, put together, run, and taken apart again."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import NamedTuple, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import NegotiationError
from websockets.typing import Subprotocol

from protocol.codec import CODECS, MAX_MESSAGE_BYTES
from runtime.event_loop import run_loop
from server.cluster.bus import open_bus
from server.config import BadSetting, Settings
from server.logs import configure_logging, log
from server.metrics import Metrics
from server.rooms.timers import Now, now
from server.server import House
from server.storage.factory import open_store, wrap_store_errors
from server.storage.interface import without_password
from server.transport.connection import Connection
from server.transport.fast_path import FAST_PATH_WORKS
from server.transport.http import HttpHandler
from server.transport.services import Services

MOST_FRAME = (
    MAX_MESSAGE_BYTES + 512
)  # a little more than a message, which then gets an answer and not just a close code
UNREAD = 1 << 15  # bytes that may wait to be read before anybody looks how many they are
OPENING = 3.0  # seconds to ask for a socket or a page
RESTART = 1012  # the close code for a server that comes back


class Running(NamedTuple):
    url: str
    house: House
    server: Server


Beside = Callable[[Running], AbstractAsyncContextManager[None]]
Greeting = Callable[[str], str]


@asynccontextmanager
async def running(settings: Settings, clock: Now = now) -> AsyncIterator[Running]:
    """A server that serves until the block is left, and drains then. BadSetting, BusError, StoreError, OSError."""
    metrics = Metrics()
    bus = open_bus(settings)
    store = open_store(settings.db, metrics.observe_commit, settings.db_pool)
    await store.open()
    house = House(settings, store, bus, metrics, clock)
    try:
        async with wrap_store_errors(store):
            await house.open()
        await bus.open()
        server = await listen(house)
        keeping = asyncio.create_task(house.keep())
        try:
            yield Running(address(settings, server), house, server)
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            await house.drain()
            server.close(code=RESTART, reason="restart")
            house.turn_away_the_silent()
            await server.wait_closed()
    finally:
        await asyncio.gather(bus.close(), store.close())


async def listen(services: Services) -> Server:
    """Accept connections on the address in the settings. Raises OSError, or BadSetting for a bad certificate."""
    settings = services.settings
    if not FAST_PATH_WORKS:
        log("slow_path", logging.WARNING, why="this release of websockets is unknown: messages take longer to read")
    return await serve(
        lambda connection: cast(Connection, connection).run(),
        settings.host,
        settings.port,
        create_connection=partial(Connection, services, HttpHandler(services)),  # type: ignore[arg-type]  # a factory
        process_request=lambda connection, request: cast(Connection, connection).process_request(request),
        subprotocols=[Subprotocol(name) for name in CODECS],
        select_subprotocol=select_subprotocol,
        compression="deflate" if settings.deflate else None,
        ping_interval=settings.ping_interval,
        ping_timeout=max(10.0, settings.ping_interval),
        open_timeout=min(OPENING, settings.hello_timeout),
        close_timeout=1,
        max_size=MOST_FRAME,
        write_limit=min(settings.send_buffer, UNREAD),
        server_header="parlour",
        ssl=tls(settings),
    )


def select_subprotocol(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first that both know; a client that offers none shows what it speaks with its first message."""
    for name in offered:
        if name in CODECS:
            return name
    if offered:
        raise NegotiationError(f"this server speaks {' and '.join(CODECS)}")
    return None


def tls(settings: Settings) -> ssl.SSLContext | None:
    if not settings.tls_cert:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(settings.tls_cert, settings.tls_key)
    except OSError as error:
        pair = f"--tls-cert {settings.tls_cert} and --tls-key {settings.tls_key}"
        wrong = "they should be a certificate and its key, in PEM files"
        why = wrong if isinstance(error, ssl.SSLError) else error.strerror
        raise BadSetting(f"{pair} cannot be used: {why}") from None
    return context


def address(settings: Settings, server: Server) -> str:
    host, port = next(iter(server.sockets)).getsockname()[:2]
    scheme = "wss" if settings.tls_cert else "ws"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/ws"


async def serve_until_stopped(settings: Settings, beside: Beside, greeting: Greeting | None) -> None:
    """Print the address or the greeting, and serve until SIGTERM or SIGINT. `beside` runs along with the server."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows has Ctrl-C, which the command line deals with
            loop.add_signal_handler(number, stopped.set)
    async with running(settings) as server:
        print(greeting(server.url) if greeting else f"parlour: listening on {server.url}", flush=True)
        log("listening", url=server.url, db=without_password(settings.db))
        async with beside(server):
            await stopped.wait()
    log("stopped")


def main(settings: Settings, beside: Beside = lambda server: nullcontext(), greeting: Greeting | None = None) -> None:
    """Run a server until it is told to stop.

    `beside` is a context manager that runs along with the server. `greeting` makes a text for people from the server's
    URL; without it, the server prints one line that programs can read: `parlour: listening on ws://…`.
    """
    configure_logging(settings.log_level, settings.log, greeted=greeting is not None)
    gc.freeze()  # what is there now stays: the collector need not look at it again and again
    gc.set_threshold(20_000, 20, 50)
    sys.setswitchinterval(0.0005)  # the thread that reads the database is not to wait long for its turn
    run_loop(serve_until_stopped(settings, beside, greeting))
