"""The listening sockets of the workers. The parent process opens them and keeps them open.

So a connection that arrives while a worker is being restarted waits for it, and is not refused.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable

from server.config import Settings

REUSE_PORT: int | None = getattr(socket, "SO_REUSEPORT", None)


def open_sockets(settings: Settings, count: int, reuse_port: int | None = REUSE_PORT) -> list[list[socket.socket]]:
    """Return the listening sockets of each worker, one for each address of the host. Raises OSError.

    With SO_REUSEPORT every worker has its own, and the system spreads connections evenly. Without it, the workers share
    one, and the first that is free accepts a connection.
    """
    if reuse_port is None:
        shared = bind_all(settings, settings.port, None)
        return [shared for _ in range(count)]
    first = bind_all(settings, settings.port, reuse_port)
    port = first[0].getsockname()[1]
    return [first] + [bind_all(settings, port, reuse_port) for _ in range(count - 1)]


def bind_all(settings: Settings, port: int, reuse_port: int | None) -> list[socket.socket]:
    """Return a listening socket for each address of the host. Raises OSError."""
    found = socket.getaddrinfo(settings.host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            listener = socket.socket(family, socket.SOCK_STREAM)
            sockets.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if reuse_port is not None:
                listener.setsockopt(socket.SOL_SOCKET, reuse_port, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listener.bind((address[0], port or sockets[0].getsockname()[1], *address[2:]))
            listener.listen(settings.backlog)
    except OSError:
        close_all(sockets)
        raise
    return sockets


def close_all(sockets: Iterable[socket.socket]) -> None:
    """Close sockets."""
    for listener in sockets:
        listener.close()
