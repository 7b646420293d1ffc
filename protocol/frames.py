"""A message as the bytes of a WebSocket frame, made once and written to every connection.  RFC 6455, 5.2"""

from __future__ import annotations

from struct import Struct

from protocol.codec import JSON, MSGPACK
from protocol.types import Message

TEXT, BINARY = 0x81, 0x82  # whole messages: FIN and the opcode


SHORT = {opcode: [bytes((opcode, size)) for size in range(126)] for opcode in (TEXT, BINARY)}  # heads, by size
LONG = Struct("!BBH")
_encode = MSGPACK.encode


def frame(opcode: int, payload: bytes) -> bytes:
    """A server's frame: never masked, never compressed."""
    size = len(payload)
    if size < 126:
        return SHORT[opcode][size] + payload
    if size < 65536:
        return LONG.pack(opcode, 126, size) + payload
    return bytes((opcode, 127)) + size.to_bytes(8, "big") + payload


class Packet:
    """One message in both encodings, the JSON one only if somebody reads that."""

    __slots__ = ("_text", "binary", "message", "payload")

    def __init__(self, message: Message) -> None:
        self.message = message
        self.payload = payload = _encode(message)
        self.binary = frame(BINARY, payload)
        self._text: bytes | None = None

    @property
    def text(self) -> bytes:
        if self._text is None:
            self._text = frame(TEXT, JSON.encode(self.message))
        return self._text


def framed(message: Message, text: bool) -> bytes:
    """A message for one reader."""
    return frame(TEXT, JSON.encode(message)) if text else frame(BINARY, _encode(message))


def join(packets: list[Packet], text: bool) -> bytes:
    """The frames of several messages, for one write."""
    if len(packets) == 1:
        return packets[0].text if text else packets[0].binary
    return b"".join([packet.text if text else packet.binary for packet in packets])
