"""One socket, what goes out: frames, as long as the other side reads them, and goodbyes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from protocol.codec import MSGPACK
from protocol.frames import BINARY, TEXT, frame
from protocol.replies import Error, Snapshot
from protocol.types import ErrorCode, Message
from server.logs import log

if TYPE_CHECKING:
    from server.server import House

GOODBYE = 1.0  # seconds to read why the connection ends
POLICY = 1008  # the close code for whoever breaks the house's rules


class Outgoing(ServerConnection):
    """Slots take what is asked for with every message, side by side; websockets keeps the rest in a dict.

    Of these `latency`, `paused` and `transport` are attributes of its own.
    """

    __slots__ = (
        "address", "at_a_start", "codec", "cutting", "ending", "failed", "house", "latency", "most_unread", "open",
        "paused", "text", "transport",
    )  # fmt: skip

    transport: asyncio.Transport

    def __init__(self, house: House, protocol: ServerProtocol, server: Server, **options: Any) -> None:
        super().__init__(protocol, server, **options)
        self.house = house
        self.text = False
        self.codec = MSGPACK
        self.most_unread = 4 * house.settings.send_buffer
        self.at_a_start = False  # the next byte that comes in is the first of a message
        self.address = ""  # set once it counts
        self.open = False  # frames may be sent
        self.failed = self.cutting = False
        self.ending: asyncio.TimerHandle | None = None

    def write(self, frames: bytes) -> int:
        """How many bytes wait to be read then, 0 as long as the transport has not called pause_writing."""
        if self.open:
            self.transport.write(frames)
            if self.paused:
                return self.unread()
        return 0

    def unread(self) -> int:
        """What waits for the other side to read, which has a bound."""
        unread = self.transport.get_write_buffer_size()
        if unread > self.most_unread:
            self.cut(POLICY, "too slow")
        return unread

    def send_data(self) -> None:
        """All that websockets sends by itself goes this way, a goodbye too, after which nothing may follow."""
        try:
            super().send_data()
        finally:
            self.open = self.protocol.state is OPEN

    def send(self, message: Message) -> None:  # type: ignore[override]  # nobody here awaits a send
        payload = self.codec.encode(message)
        if self.protocol.extensions and self.open:  # permessage-deflate
            if self.text:
                self.protocol.send_text(payload)
            else:
                self.protocol.send_binary(payload)
            self.send_data()
            self.unread()
        else:
            self.write(frame(TEXT if self.text else BINARY, payload))

    def refuse(
        self,
        id: int | None,
        code: ErrorCode,
        text: str,
        retry_after: float | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.house.metrics.refusals[code] += 1
        self.send(Error(id=id, code=code, text=text, retry_after=retry_after, snapshot=snapshot))

    def backlog(self) -> int:
        return self.transport.get_write_buffer_size()

    def cut(self, code: int, reason: str) -> None:
        if self.protocol.state is not OPEN or self.cutting:
            return
        self.cutting = True
        self.at_a_start = False  # from here on the parser says what still counts
        self.note(reason)
        if self.backlog() > self.house.settings.send_buffer:  # the goodbye would not be read either
            self.transport.abort()
        else:
            self.house.hall.spawn(self.close(code, reason))

    def fail(self, reason: str) -> None:
        """Cut whoever floods us: what still comes is not even read."""
        self.at_a_start, self.failed = False, True
        self.note(reason)
        self.protocol.fail(POLICY, reason)
        self.send_data()
        self.end_soon()

    def note(self, reason: str) -> None:
        self.house.metrics.turned_away[reason] += 1
        log("cut", why=reason, address=self.address)

    def end_soon(self) -> None:
        """Also if the other side never hangs up."""
        if self.ending is None:
            self.ending = self.loop.call_later(GOODBYE, self.transport.abort)
