"""One socket, what comes in, and the defences that concern a single connection. What goes out is in outgoing.py.

A message is dealt with as it arrives, without the queue and the wake-up of `recv()`, and frames that are ready made
go straight to the transport: each of the two doubles what a server can do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import Server
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.frames import CONT, TEXT, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import CLOSING, OPEN, Event
from websockets.server import ServerProtocol
from websockets.streams import StreamReader

from protocol.codec import JSON, Malformed
from protocol.frames import BINARY
from protocol.frames import TEXT as TEXT_FRAME
from protocol.types import Player
from server.transport.outgoing import POLICY, Outgoing

if TYPE_CHECKING:
    from server.rooms.live_room import Live
    from server.server import House

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

AT_A_FRAMES_START = StreamReader.at_eof.__code__
WHOLE = (BINARY, TEXT_FRAME)  # the first byte of a message in one frame
MOST_WAITING = 200  # messages behind one that takes its time
MOST_FRAGMENTS = 128  # of one message
AT_ONCE = 2048  # bytes for the parser, between two looks at what they cost


class Connection(Outgoing):
    __slots__ = (
        "filled_at", "gone", "heard", "heard_at", "in_text", "parts", "player", "refused", "rooms", "tokens", "waiting",
    )  # fmt: skip

    def __init__(self, house: House, protocol: ServerProtocol, server: Server, **options: Any) -> None:
        super().__init__(house, protocol, server, **options)
        self.player: Player | None = None
        self.rooms: dict[str, Live] = {}
        self.heard = True  # since heard_at was set
        self.heard_at = self.loop.time()
        self.tokens = float(house.settings.burst)  # messages it may send before anybody looks at the time
        self.filled_at = self.heard_at
        self.refused = 0  # frames over the rate, less those within it that came since
        self.waiting: deque[tuple[bytes, bool]] | None = None  # messages behind one that is being answered
        self.parts: list[bytes] = []  # of a message that comes in fragments
        self.in_text = False  # they do
        self.gone = False

    # -- at the door

    def at_the_door(self, request: Request) -> Response | None:
        """A page, a refusal, or None: then the socket opens."""
        self.house.silent.discard(self)
        doorman, asked = self.house.doorman, request.headers
        twice = [name for name in ("Host", "Origin") if len(asked.get_all(name)) > 1]
        page = doorman.objection(request.method, twice) or doorman.page(request.path.partition("?")[0], asked)
        if page is None:
            self.count(asked.get_all("X-Forwarded-For"))
            page = doorman.admit(self.address)
            if page is None:
                return None
        body = page.text.encode()
        headers = Headers({"Content-Type": page.kind, "Content-Length": str(len(body)), "Connection": "close"})
        if page.status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET, HEAD"
        return Response(page.status.value, page.status.phrase, headers, b"" if request.method == "HEAD" else body)

    def count(self, forwarded: Sequence[str]) -> None:
        """The connection, for the address that counts: the socket's, or behind a proxy the one it tells."""
        if not self.address:
            peer = self.remote_address
            there = str(peer[0]) if peer else "?"
            self.address = forwarded[-1].rpartition(",")[2].strip() or there if forwarded else there
            if not self.house.addresses.arrive(self.address):
                self.house.metrics.turned_away["address"] += 1
                self.transport.abort()

    # -- in

    def data_received(self, data: bytes) -> None:
        """The common case first: exactly one short whole message, which needs no parser."""
        size = len(data) - 6
        if self.at_a_start and 0 <= size < 126 and data[1] == 0x80 + size and data[0] in WHOLE:
            self.received(apply_mask(data[6:], data[2:6]), data[0] == TEXT_FRAME)
        else:
            for at in range(0, len(data), AT_ONCE):  # so that a flood of tiny frames is noticed early
                super().data_received(data[at : at + AT_ONCE])
            self.at_a_start = self.between_messages()
            if self.protocol.state is CLOSING:
                self.end_soon()

    def between_messages(self) -> bool:
        """The parser waits for a message's first byte, and nothing was negotiated that changes what frames mean."""
        protocol = self.protocol
        if protocol.state is not OPEN or protocol.reader.buffer or protocol.extensions:
            return False
        parser: Any = protocol.parser
        frames = parser.gi_yieldfrom  # what parses after the handshake
        waits = None if frames is None else frames.gi_yieldfrom  # in a frame this is another one
        return protocol.current_size is None and waits is not None and waits.gi_code is AT_A_FRAMES_START

    def process_event(self, event: Event) -> None:
        if self.request is None or not isinstance(event, Frame):
            super().process_event(event)
            return
        if self.failed:
            return
        opcode = event.opcode
        if opcode is Opcode.BINARY or opcode is TEXT or opcode is CONT:
            self.parts.append(bytes(event.data))
            if opcode is not CONT:
                self.in_text = opcode is TEXT
            if event.fin:
                parts, self.parts = self.parts, []
                self.received(parts[0] if len(parts) == 1 else b"".join(parts), self.in_text)
            elif len(self.parts) >= MOST_FRAGMENTS:
                self.fail("too many fragments")
            else:
                self.pay()
        else:
            if opcode is not Opcode.PONG or bytes(event.data) not in self.pending_pings:  # which we asked for
                self.pay()
            super().process_event(event)

    def received(self, data: bytes, text: bool) -> None:
        """One message. Its sender has so many of them a second, and a reserve."""
        self.heard = True
        if self.tokens < 1.0 and not self.refilled():
            self.over_the_rate(data)
            return
        self.tokens -= 1.0
        if self.refused:
            self.refused -= 1
        if self.waiting is not None:
            if len(self.waiting) >= MOST_WAITING:
                self.cut(POLICY, "too many messages at once")
            else:
                self.waiting.append((data, text))
        else:
            self.handle(data, text)

    def pay(self) -> None:
        """For a frame that is no whole message: it costs the same, since it takes as long to read."""
        if self.tokens >= 1.0 or self.refilled():
            self.tokens -= 1.0
        else:
            self.count_refused()

    def refilled(self) -> bool:
        settings, now = self.house.settings, self.loop.time()
        self.tokens = min(float(settings.burst), self.tokens + (now - self.filled_at) * settings.rate)
        self.filled_at = now
        return self.tokens >= 1.0

    def over_the_rate(self, data: bytes) -> None:
        self.count_refused()
        if self.failed:
            return
        rate = self.house.settings.rate
        id, wait = self.codec.find_id(data), (1.0 - self.tokens) / rate
        self.refuse(id, "rate_limited", f"no more than {rate:g} messages a second", wait)

    def count_refused(self) -> None:
        self.refused += 1
        if self.refused > 2 * self.house.settings.burst:
            self.fail("too many messages")

    def handle(self, data: bytes, text: bool) -> None:
        try:
            if text is not self.text:
                self.other_kind(text)
            command = self.codec.decode_command(data)
        except Malformed as error:
            self.refuse(error.id, "malformed", str(error))
            return
        waiting = self.house.desk.receive(self, command)
        if waiting is not None:
            self.waiting = deque()
            self.house.hall.spawn(self.finish(waiting))

    def other_kind(self, text: bool) -> None:
        """A frame that our codec does not come in; who named no subprotocol may begin with text. Malformed."""
        if text and self.subprotocol is None and self.player is None:
            self.speak_json()
            return
        kinds = ("text", "binary") if self.text else ("binary", "text")
        raise Malformed(f"{self.codec.name} comes in {kinds[0]} frames, not in {kinds[1]} ones")

    async def finish(self, answering: Any) -> None:
        """Wait for an answer that takes its time, then turn to what came meanwhile."""
        try:
            await answering
        except Exception:
            self.house.bug("a message could not be answered")
            self.cut(1011, "the server made a mistake")
        waiting, self.waiting = self.waiting, None
        while waiting:
            data, text = waiting.popleft()
            self.handle(data, text)
            held: deque[tuple[bytes, bool]] | None = self.waiting
            if held is not None:  # that one takes its time too
                held.extend(waiting)
                return
        if self.gone:  # meanwhile: nobody is to think it is here, where it has just come in
            self.house.desk.goodbye(self)

    # -- life

    async def live(self) -> None:
        """The handler: everything happens as messages arrive, so there is just an end to wait for."""
        if self.subprotocol == JSON.subprotocol:
            self.speak_json()
        self.house.hall.spawn(self.measure())
        self.house.peers.add(self)
        try:
            await asyncio.shield(self.connection_lost_waiter)
        finally:
            self.gone = True
            self.house.peers.discard(self)
            self.house.desk.goodbye(self)

    def speak_json(self) -> None:
        self.text, self.codec = True, JSON

    async def measure(self) -> None:
        """The first ping; without it nothing would be known of the lag before the first interval is over."""
        with suppress(ConnectionClosed):
            self.latency = await (await self.ping())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.house.silent.add(self)
        if not self.house.settings.forwarded:
            self.count(())

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        self.house.addresses.release(self.address)
        self.house.silent.discard(self)
        if self.ending is not None:
            self.ending.cancel()
        super().connection_lost(exc)

    def out_of_time(self, now: float) -> str | None:
        """Why this connection has been silent for too long."""
        if self.heard:
            self.heard, self.heard_at = False, now
        settings = self.house.settings
        silent = now - self.heard_at
        if self.player is None:
            return "no hello" if silent > settings.hello_timeout else None
        if silent <= settings.idle_timeout or self.rooms or self.house.hall.lobby.expects(self):
            return None
        return "idle"
