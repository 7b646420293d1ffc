"""A WebSocket client that can break every rule: it sends the bytes that a test gives it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from types import TracebackType
from typing import Any, NamedTuple

import msgpack

from tests.e2e.local_server import until
from tests.waiting import TIMEOUT_S

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
FIN = 0x80
MASK = b"\x37\xfa\x21\x3d"  # the one of RFC 6455, section 5.7
ZERO_MASK = bytes(4)


class Frame(NamedTuple):
    """A frame from the server."""

    opcode: int
    payload: bytes

    @property
    def close_code(self) -> int:
        """The code of a close frame."""
        assert self.opcode == CLOSE, self
        return int.from_bytes(self.payload[:2], "big")


def frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes | None = MASK,
    length_bytes: int | None = None,
) -> bytes:
    """Return a client's frame. `length_bytes` chooses the form of the length: 0, 2 or 8 more bytes."""
    size = len(payload)
    if length_bytes is None:
        length_bytes = 0 if size < 126 else 2 if size < 65536 else 8
    short = {0: size, 2: 126, 8: 127}[length_bytes]
    head = bytes((fin * FIN | reserved | opcode, (mask is not None) * 0x80 | short))
    length = size.to_bytes(length_bytes, "big") if length_bytes else b""
    return head + length + (b"" if mask is None else mask + masked(payload, mask))


def masked(payload: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def close_frame(code: int, reason: bytes = b"") -> bytes:
    return frame(CLOSE, code.to_bytes(2, "big") + reason)


def command(id: int, size: int = 0, codec: str = "json") -> bytes:
    """Return a command that is `size` bytes long (at least 30), or as short as possible."""
    tree = {"type": "list", "id": id}
    if codec == "json":
        return json.dumps(tree).encode().ljust(size)
    data = bytes(msgpack.packb(tree))
    if size:  # one more key, with a text whose length takes two bytes
        padding = size - len(data) - 5
        data = bytes((data[0] + 1,)) + data[1:] + b"\xa1x\xda" + padding.to_bytes(2, "big") + b"x" * padding
    return data


class RawClient:
    """A connection after the handshake."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, codec: str) -> None:
        self.reader, self.writer, self.codec = reader, writer, codec
        self.opcode = TEXT if codec == "json" else BINARY

    @classmethod
    async def open(cls, port: int, codec: str = "json", subprotocol: bool = True) -> RawClient:
        """Connect and shake hands."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        offer = f"Sec-WebSocket-Protocol: parlour.v1.{codec}\r\n" if subprotocol else ""
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{offer}"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), TIMEOUT_S)
        assert head.startswith(b"HTTP/1.1 101 "), head
        return cls(reader, writer, codec)

    async def __aenter__(self) -> RawClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.writer.transport.abort()

    def send(self, data: bytes) -> None:
        """Write bytes in one piece."""
        self.writer.write(data)

    async def send_pieces(self, pieces: Iterable[bytes], read: list[bytes]) -> None:
        """Write each piece when the server has read the one before. `read` collects what the server reads."""
        expected = sum(map(len, read))

        def is_read() -> bool:
            return sum(map(len, read)) == expected or self.writer.transport.is_closing()

        for piece in pieces:
            expected += len(piece)
            self.writer.write(piece)
            await until("the server has read the piece", is_read)

    async def receive(self, pings: bool = False) -> Frame:
        """Return the next frame; pings of the server only if asked for."""
        while True:
            async with asyncio.timeout(TIMEOUT_S):
                first, size = await self.reader.readexactly(2)
                assert size < 0x80, "a server does not mask"
                if size >= 126:
                    size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
                payload = await self.reader.readexactly(size)
            assert first & 0xF0 == FIN, "a server sends no fragments and sets no reserved bits"
            if pings or first & 0x0F != PING:
                return Frame(first & 0x0F, payload)

    async def reply(self) -> dict[str, Any]:
        """Return the next message."""
        received = await self.receive()
        assert received.opcode == self.opcode, received
        tree: dict[str, Any] = (
            json.loads(received.payload) if self.codec == "json" else msgpack.unpackb(received.payload)
        )
        return tree

    async def close_code(self) -> int:
        """Return the code of the close frame, after which the server closes the connection."""
        code = (await self.receive()).close_code
        assert await asyncio.wait_for(self.reader.read(), TIMEOUT_S) == b""
        return code

    async def is_open(self) -> bool:
        """Return whether the server still answers, with a ping."""
        self.send(frame(PING, b"still there?"))
        return await self.receive() == Frame(PONG, b"still there?")
