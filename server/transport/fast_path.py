"""The path of an ordinary message: read a frame, take a token, decode, dispatch; and write prebuilt frames.

`FastPath` extends the connection of websockets and bypasses it where that is safe:

- A message in one short frame is read without the parser of websockets, and handled as soon as it arrives, without the
  queue and the task switch of `recv()`.
- Frames that are already built are written directly to the transport.

Each of these doubles the throughput of a server. Everything else (long frames, fragments, control frames, compression,
closing) is left to websockets. A pong also sets the latency, which the kernel may measure better than websockets.

This is the only module that uses internals of websockets. `check_internals` tests them at import. If a release changes
them, all frames take the parser of websockets, and a test fails.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections import deque
from collections.abc import Coroutine
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.frames import CONT, PONG, TEXT, Frame, Opcode
from websockets.protocol import CLOSING, CONNECTING, OPEN, Event
from websockets.server import ServerProtocol

from protocol.codec import MSGPACK, Malformed
from protocol.frames import BINARY_HEAD, TEXT_HEAD, frame
from protocol.replies import Error, Snapshot
from protocol.types import ErrorCode, Message, Player
from protocol.weights import UNWEIGHED_BYTES
from server.transport.rate_limit import RateLimit
from server.transport.services import Services

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

WHOLE_MESSAGE = (BINARY_HEAD, TEXT_HEAD)
MASKED = 0x80  # bit of the second byte of a frame
HEADER_BYTES = 6  # of a short masked frame: two bytes and the mask
SHORT_FRAME_BYTES = 126  # payloads below this have their length in the second byte
PARSE_CHUNK_BYTES = 2048  # the parser gets no more at a time, so that a flood of tiny frames is noticed early
MAX_REQUEST_BYTES = 16 << 10  # websockets would read 1 MB, and keep the event loop busy with it
MAX_FRAGMENTS = 128  # per message
MAX_PENDING_MESSAGES = 200  # behind a command that is still being answered
POLICY_VIOLATION = 1008  # close code
MAX_UNVERIFIED_LATENCY_S = 0.05  # credited if only the client's own pongs tell the latency
RTT_OFFSET_BYTES = 68  # of tcpi_rtt in the tcp_info struct of Linux, which only grows at its end
RTT_END_BYTES = RTT_OFFSET_BYTES + 4


def between_messages(protocol: ServerProtocol) -> bool:
    """Return whether the parser of websockets waits for the first byte of a message, and no extension is in use."""
    if protocol.state is not OPEN or protocol.reader.buffer or protocol.extensions:
        return False
    parser: Any = protocol.parser
    frames = parser.gi_yieldfrom  # the parser of frames, after the one of the handshake
    reading = None if frames is None else frames.gi_yieldfrom  # inside a frame, another generator
    if protocol.current_size is not None or reading is None:
        return False
    return bool(reading.gi_code.co_qualname == "StreamReader.at_eof")


def check_internals() -> bool:
    """Return whether `between_messages` works with the installed release of websockets."""
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
    request = f"GET / HTTP/1.1\r\nHost: a\r\n{upgrade}\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    no_mask = bytes(4)
    steps = (
        (b"\x82", False),  # half of a frame's header
        (b"\x81" + no_mask, False),  # a frame without its payload
        (b"x", True),
        (b"\x02\x80" + no_mask, False),  # a fragment
        (b"\x89\x80" + no_mask, False),  # a ping between fragments
        (b"\x80\x80" + no_mask, True),
    )
    try:
        protocol = ServerProtocol()
        protocol.receive_data(request.encode())
        (event,) = protocol.events_received()
        protocol.send_response(protocol.accept(event))  # type: ignore[arg-type]
        works = between_messages(protocol)
        for data, expected in steps:
            protocol.receive_data(data)
            works = works and between_messages(protocol) is expected
    except Exception:  # an unknown release may raise anything
        return False
    return works and len(protocol.events_received()) == 4


FAST_PATH_WORKS = check_internals()


def break_cycles(protocol: ServerProtocol) -> None:
    """Break the reference cycles of a connection that is lost, so that its memory is free at once.

    The garbage collector would find them, but late: it seldom looks at what has lived for a while.
    """
    protocol.parser.close()  # its frame refers to the protocol
    protocol.parser_exc = protocol.handshake_exc = None  # so do the tracebacks of these
    vars(protocol).pop("select_subprotocol", None)  # a method that is bound to the protocol, and knows the connection


class FastPath(ServerConnection):
    """A connection that handles messages as they arrive. `Connection` adds its life cycle.

    Attributes that are used for each message are slots; websockets keeps the rest in a dict. Of the slots, `latency`,
    `paused` and `transport` are attributes of websockets.
    """

    __slots__ = (
        "active", "at_frame_start", "can_send", "codec", "dispatch", "failed", "fragments", "fragments_are_text",
        "latency", "max_unread_bytes", "muted", "paused", "pending", "player", "rate_limit", "request_bytes",
        "services", "text", "transport", "unread", "wishes",
    )  # fmt: skip

    transport: asyncio.Transport

    def __init__(self, services: Services, protocol: ServerProtocol, server: Server, **options: Any) -> None:
        super().__init__(protocol, server, **options)
        settings = services.settings
        self.services = services
        self.dispatch = services.receive
        self.player: Player | None = None  # None before the welcome
        self.text = False  # the client speaks JSON
        self.wishes: frozenset[str] = frozenset()
        self.codec = MSGPACK
        self.active = True  # the client has sent a message since the last sweep
        self.rate_limit = RateLimit(settings.rate, float(settings.burst), self.loop.time())
        self.pending: deque[tuple[bytes, bool]] | None = None  # messages behind a command that is being answered
        self.at_frame_start = False  # the next byte is the first of a message
        self.fragments: list[bytes] = []  # of an incomplete message
        self.fragments_are_text = False
        self.request_bytes = 0  # that were read of the HTTP request
        self.can_send = False
        self.muted = False  # another worker writes to the socket
        self.unread: bytes | None = None  # what arrived before a connection of another worker could be resumed
        self.max_unread_bytes = 4 * settings.send_buffer
        self.failed = False  # the client broke a limit: nothing more is read

    # -- reading

    def data_received(self, data: bytes) -> None:
        """Handle bytes from the transport: exactly one short message in the common case."""
        size = len(data) - HEADER_BYTES
        if (
            self.at_frame_start
            and 0 <= size < SHORT_FRAME_BYTES
            and data[1] == MASKED + size
            and data[0] in WHOLE_MESSAGE
        ):
            self.message_received(apply_mask(data[6:], data[2:6]), data[0] == TEXT_HEAD)
            return
        if self.unread is not None:
            self.unread += data
            self.transport.pause_reading()  # not in connection_made: uvloop starts to read after it
            return
        for start in range(0, len(data), PARSE_CHUNK_BYTES):
            part = data[start : start + PARSE_CHUNK_BYTES]
            if self.request is None and self.abort_long_request(part):
                return
            super().data_received(part)
        self.at_frame_start = FAST_PATH_WORKS and between_messages(self.protocol)
        if self.protocol.state is CLOSING:
            self.abort_soon()

    def abort_long_request(self, part: bytes) -> bool:
        """Count the bytes of the HTTP request. Abort the connection if there are too many, and return True."""
        self.request_bytes += len(part)
        if self.request_bytes <= MAX_REQUEST_BYTES or self.muted:  # the request from another worker is not measured
            return False
        if not self.failed:
            self.failed = True
            self.services.metrics.turned_away["request"] += 1
            self.transport.abort()
        return True

    def message_received(self, data: bytes, text: bool) -> None:
        """Handle a message, unless the client exceeds its rate. While a command is being answered, queue it."""
        self.active = True
        limit = self.rate_limit
        if limit.tokens < 1.0 and not limit.refilled(self.loop.time()):
            self.rate_exceeded(data)
            return
        limit.tokens -= 1.0
        if limit.refused:
            limit.refused -= 1
        if self.pending is None:
            self.handle(data, text)
        elif len(self.pending) < MAX_PENDING_MESSAGES:
            self.pending.append((data, text))
        else:
            self.cut(POLICY_VIOLATION, "too many messages at once")

    def handle(self, data: bytes, text: bool) -> None:
        """Decode a message and dispatch its command."""
        try:
            if text is not self.text:
                self.frame_type_changed(text)
            command = self.codec.decode_command(data)
        except Malformed as error:
            self.refuse(error.id, "malformed", str(error))
            return
        answering = self.dispatch(self, command)
        if answering is not None:
            self.finish_later(answering)

    def process_event(self, event: Event) -> None:
        """Handle a frame from the parser of websockets: assemble fragments, and charge for all other frames."""
        if self.request is None or not isinstance(event, Frame):
            super().process_event(event)
            return
        if self.failed:
            return
        if self.protocol.state is CONNECTING:  # a client must wait for the response, which may be a refusal
            self.failed = True
            self.transport.abort()
            return
        opcode = event.opcode
        if opcode is not Opcode.BINARY and opcode is not TEXT and opcode is not CONT:
            if opcode is not PONG or bytes(event.data) not in self.pending_pings:  # a reply to our ping is free
                self.charge_frame()
            super().process_event(event)
            return
        self.fragments.append(bytes(event.data))
        if opcode is not CONT:
            self.fragments_are_text = opcode is TEXT
        if event.fin:
            fragments, self.fragments = self.fragments, []
            data = fragments[0] if len(fragments) == 1 else b"".join(fragments)
            if len(data) <= UNWEIGHED_BYTES or self.pay_for_length(data):
                self.message_received(data, self.fragments_are_text)
        elif len(self.fragments) >= MAX_FRAGMENTS:
            self.fail("too many fragments")
        else:
            self.charge_frame()

    def acknowledge_pings(self, data: bytes) -> None:
        """Set the latency when a pong arrives. Behind a proxy, the kernel measures only the way to the proxy."""
        super().acknowledge_pings(data)
        kernel_s = None if self.services.settings.forwarded else kernel_rtt_s(self.transport)
        self.latency = credited_latency(self.latency, kernel_s)

    # -- writing

    def write(self, frames: bytes) -> int:
        """Write whole frames. Return the number of unread bytes; 0 while the transport accepts more."""
        if self.can_send:
            self.transport.write(frames)
            if self.paused:
                return self.check_unread()
        return 0

    def check_unread(self) -> int:
        """Return the number of bytes that the client has not read. Disconnect it if there are too many."""
        unread = self.transport.get_write_buffer_size()
        if unread > self.max_unread_bytes:
            self.cut(POLICY_VIOLATION, "too slow")
        return unread

    def send(self, message: Message) -> None:  # type: ignore[override]  # not a coroutine: it never waits
        """Encode a message and write it."""
        payload = self.codec.encode(message)
        if self.protocol.extensions and self.can_send:  # permessage-deflate
            if self.text:
                self.protocol.send_text(payload)
            else:
                self.protocol.send_binary(payload)
            self.send_data()
            self.check_unread()
        else:
            self.write(frame(TEXT_HEAD if self.text else BINARY_HEAD, payload))

    def send_data(self) -> None:
        """Write what websockets has to send. After a close frame, nothing may follow."""
        if self.muted:
            self.protocol.data_to_send()
            return
        try:
            super().send_data()
        finally:
            self.can_send = self.protocol.state is OPEN

    def refuse(
        self,
        id: int | None,
        code: ErrorCode,
        text: str,
        retry_after: float | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        """Answer a command with an error."""
        self.services.metrics.refusals[code] += 1
        self.send(Error(id=id, code=code, text=text, retry_after=retry_after, snapshot=snapshot))

    # -- what `Connection` does in the less common cases

    def rate_exceeded(self, data: bytes) -> None:
        """Refuse a message over the rate limit."""
        raise NotImplementedError

    def charge_frame(self) -> None:
        """Take a token for a frame that is not a message."""
        raise NotImplementedError

    def pay_for_length(self, data: bytes) -> bool:
        """Spend the budget of the address for a long message. Refuse it, and return False, if that is used up."""
        raise NotImplementedError

    def frame_type_changed(self, text: bool) -> None:
        """Handle a frame of the wrong type (text for msgpack or binary for JSON). Raises Malformed."""
        raise NotImplementedError

    def finish_later(self, answering: Coroutine[Any, Any, None]) -> None:
        """Answer a command in the background, and hold back the messages after it."""
        raise NotImplementedError

    def cut(self, code: int, reason: str) -> None:
        """Close the connection after the closing handshake."""
        raise NotImplementedError

    def fail(self, reason: str) -> None:
        """Close the connection and read nothing more."""
        raise NotImplementedError

    def abort_soon(self) -> None:
        """Abort the connection if the client does not close it."""
        raise NotImplementedError


def credited_latency(pong_s: float, kernel_s: float | None) -> float:
    """Return the latency to credit, in seconds: the shorter of two measurements of the round trip.

    A client can delay its pongs, but not the acknowledgements of its kernel. Without the kernel's measurement, the pong
    counts up to a limit.
    """
    return min(pong_s, MAX_UNVERIFIED_LATENCY_S if kernel_s is None else kernel_s)


def kernel_rtt_s(transport: asyncio.BaseTransport) -> float | None:
    """Return the kernel's smoothed round trip in seconds, or None if the platform does not tell.

    The kernel of the client acknowledges data by itself, so a program cannot stretch this time.
    """
    sock = transport.get_extra_info("socket")
    if sys.platform != "linux" or sock is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RTT_END_BYTES)
    except OSError:  # not a TCP socket, or closed
        return None
    if len(info) < RTT_END_BYTES:
        return None
    return int.from_bytes(info[RTT_OFFSET_BYTES:RTT_END_BYTES], sys.byteorder) / 1e6
