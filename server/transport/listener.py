"""The listening socket: its address, TLS, and the limits of all connections."""

from __future__ import annotations

import asyncio
import logging
import os
import ssl
from collections.abc import Callable
from functools import partial
from socket import SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from typing import Any

from websockets.asyncio.server import Server as WebSocketServer
from websockets.asyncio.server import serve
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from protocol.codec import CODECS, MAX_MESSAGE_BYTES
from server.config import BadSetting, Settings
from server.logs import log
from server.transport.connection import CLOSE_GRACE_S, Arrival, Connection
from server.transport.fast_path import FAST_PATH_WORKS
from server.transport.http import WEBSOCKET_PATH, HttpHandler, select_subprotocol
from server.transport.services import Services
from server.transport.website import Website

__all__ = ["WebSocketServer", "arriving_connections", "check_port", "listen", "url_of"]

MAX_FRAME_BYTES = MAX_MESSAGE_BYTES + 512  # a message that is a little too long gets an error, not just a close code
MAX_UNCHECKED_BACKLOG_BYTES = 1 << 15  # unread bytes before a write reports the exact number
OPEN_TIMEOUT_S = 3.0  # to send an HTTP request


async def check_port(settings: Settings) -> None:
    """Raise OSError if the address of the settings is in use. Without this, a new database would be left behind."""
    if settings.port == 0 or os.name != "posix":
        return
    found = await asyncio.get_running_loop().getaddrinfo(settings.host or None, settings.port, type=SOCK_STREAM)
    for family, kind, protocol, _, address in found:
        with socket(family, kind, protocol) as probe:
            probe.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)  # as asyncio does: a port that was closed just now is free
            probe.bind(address)


async def listen(
    services: Services, website: Website | None = None, sock: socket | None = None, server_header: str = "parlour"
) -> WebSocketServer:
    """Listen for connections at the address of the settings, or on a socket. Raises BadSetting or OSError."""
    settings = services.settings
    if not FAST_PATH_WORKS:
        log("slow_path", logging.WARNING, why="this release of websockets is unknown: messages take longer to read")
    create_connection: Any = partial(Connection, services, HttpHandler(services, website))
    handler: Any = Connection.run  # websockets passes what create_connection returned
    process_request: Any = Connection.process_request
    where = {"host": settings.host, "port": settings.port} if sock is None else {"sock": sock}
    return await serve(
        handler,
        **where,
        backlog=settings.backlog,
        create_connection=create_connection,
        process_request=process_request,
        subprotocols=[Subprotocol(name) for name in CODECS],
        select_subprotocol=select_subprotocol,
        compression="deflate" if settings.deflate else None,
        open_timeout=min(OPEN_TIMEOUT_S, settings.hello_timeout),
        max_size=MAX_FRAME_BYTES,
        server_header=server_header,
        ssl=tls_context(settings),
        **connection_options(settings),
    )


def connection_options(settings: Settings) -> dict[str, Any]:
    """Return the arguments of a connection of websockets."""
    return {
        "ping_interval": settings.ping_interval,
        "ping_timeout": max(10.0, settings.ping_interval),
        "close_timeout": CLOSE_GRACE_S,
        "write_limit": min(settings.send_buffer, MAX_UNCHECKED_BACKLOG_BYTES),
    }


def arriving_connections(
    services: Services, website: Website | None, server: WebSocketServer
) -> Callable[[Arrival], Connection]:
    """Return a factory of connections for sockets of other workers. They belong to `server` like those it accepts."""
    http = HttpHandler(services, website)

    def create(arrival: Arrival) -> Connection:
        protocol = ServerProtocol(
            subprotocols=[Subprotocol(name) for name in CODECS],
            select_subprotocol=lambda protocol, offered: select_subprotocol(connection, offered),
            max_size=MAX_FRAME_BYTES,
        )
        connection = Connection(services, http, protocol, server, **connection_options(services.settings))
        connection.arrive(arrival)
        return connection

    return create


def tls_context(settings: Settings) -> ssl.SSLContext | None:
    """Return the TLS context of the settings, or None. Raises BadSetting."""
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


def url_of(settings: Settings, listener: socket) -> str:
    """Return the URL of the WebSocket endpoint."""
    host, port = listener.getsockname()[:2]
    scheme = "wss" if settings.tls_cert else "ws"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}{WEBSOCKET_PATH}"
