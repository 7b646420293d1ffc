"""Server messages as WebSocket frames, built once and written to every connection (RFC 6455, section 5.2)."""

from __future__ import annotations

from struct import Struct

from protocol.codec import JSON, MSGPACK, decode_event
from protocol.types import Message

TEXT_HEAD, BINARY_HEAD = 0x81, 0x82  # first byte of a message in one frame: FIN and opcode
SHORT_HEADERS = {head: [bytes((head, size)) for size in range(126)] for head in (TEXT_HEAD, BINARY_HEAD)}  # by size
MEDIUM_HEADER = Struct("!BBH")
LONG_HEADER = Struct("!BBQ")
_encode = MSGPACK.encode


def frame(head: int, payload: bytes) -> bytes:
    """Return a server's frame, which is neither masked nor compressed."""
    size = len(payload)
    if size < 126:
        return SHORT_HEADERS[head][size] + payload
    if size < 65536:
        return MEDIUM_HEADER.pack(head, 126, size) + payload
    return LONG_HEADER.pack(head, 127, size) + payload


class Packet:
    """A message in both encodings; the JSON frame is built when a client needs it."""

    __slots__ = ("_message", "_text", "binary", "payload")

    def __init__(self, message: Message) -> None:
        self._message: Message | None = message
        self.payload = payload = _encode(message)
        self.binary = frame(BINARY_HEAD, payload)
        self._text: bytes | None = None

    @classmethod
    def stored(cls, payload: bytes) -> Packet:
        """Return the packet of an event in the log. It is decoded only if a client needs more than these bytes."""
        packet: Packet = cls.__new__(cls)
        packet._message = packet._text = None
        packet.payload = payload
        packet.binary = frame(BINARY_HEAD, payload)
        return packet

    @property
    def message(self) -> Message:
        """The message itself."""
        if self._message is None:
            self._message = decode_event(self.payload)
        return self._message

    @property
    def text(self) -> bytes:
        """The frame in JSON."""
        if self._text is None:
            self._text = frame(TEXT_HEAD, JSON.encode(self.message))
        return self._text


def framed(message: Message, text: bool) -> bytes:
    """Return the frame of a message for one client; `text` for JSON."""
    return frame(TEXT_HEAD, JSON.encode(message)) if text else frame(BINARY_HEAD, _encode(message))


def join(packets: list[Packet], text: bool) -> bytes:
    """Return the frames of several messages, for one write."""
    if len(packets) == 1:
        return packets[0].text if text else packets[0].binary
    return b"".join([packet.text if text else packet.binary for packet in packets])
