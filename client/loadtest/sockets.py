"""A minimal WebSocket client, so that a benchmark measures the server and not the client.

Frames are masked with zeros, which leaves the payload unchanged. Received messages are slices of the buffer.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

BINARY, PING, PONG, CLOSE = 0x82, 0x89, 0x8A, 0x88
OPEN_TIMEOUT_S = 30


def masked(payload: bytes, opcode: int = BINARY) -> bytes:
    """Return a frame with a mask of zeros."""
    size = len(payload)
    if size < 126:
        return bytes((opcode, 0x80 | size, 0, 0, 0, 0)) + payload
    return bytes((opcode, 0x80 | 126, size >> 8, size & 255, 0, 0, 0, 0)) + payload


class Client(asyncio.Protocol):
    """One connection. It calls `on_message` with each message, or, if set, `on_bytes` with the number of bytes."""

    on_message: Callable[[bytes], None]
    on_bytes: Callable[[int], None] | None = None
    transport: asyncio.Transport

    def __init__(self, host: str, target: str = "/ws") -> None:
        self._host, self._target = host, target
        self._buffer = b""
        self.head = b""  # of the response to the handshake
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        self.transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(os.urandom(16)).decode()
        self.transport.write(
            f"GET {self._target} HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is closed."""
        self.closed = True
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before the handshake was complete"))

    def data_received(self, data: bytes) -> None:
        """Parse the handshake, then frames."""
        if not self.opened.done():
            self._buffer += data
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head[:20]:
                self.opened.set_exception(ConnectionError(head[:60].decode()))
                return
            self.opened.set_result(None)
            self.head, self._buffer, data = head, b"", rest
        if self.on_bytes is not None:
            self.on_bytes(len(data))
            return
        if self._buffer:
            data = self._buffer + data
        at, end_of_data = 0, len(data)
        while end_of_data - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if start + size > end_of_data:
                break
            if data[at] == BINARY:
                self.on_message(data[start : start + size])
            elif data[at] == PING:
                self.transport.write(masked(data[start : start + size], PONG))
            at = start + size
        self._buffer = data[at:]

    def send(self, frame: bytes) -> None:
        """Send a frame made by `masked`."""
        self.transport.write(frame)


async def connect(url: str, source: str = "") -> Client:
    """Return an open connection. `source`: the local address to use. Raises OSError or TimeoutError."""
    parts = urlsplit(url)
    assert parts.hostname is not None, url
    secure = parts.scheme == "wss"
    port = parts.port or (443 if secure else 80)
    loop = asyncio.get_running_loop()
    target = parts.path or "/ws"
    _, client = await loop.create_connection(
        lambda: Client(parts.netloc, target),
        parts.hostname,
        port,
        ssl=True if secure else None,
        local_addr=(source, 0) if source else None,
    )
    await asyncio.wait_for(client.opened, OPEN_TIMEOUT_S)
    return client
