"""One client's connection: handshake, commands in order, limits, idle timeout, closing.

How a message is read and written is in fast_path.py. server/handover.py moves connections from worker to worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, NamedTuple, cast

from websockets.asyncio.server import Server
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import CONNECTING, OPEN
from websockets.server import ServerProtocol

from protocol.codec import JSON, Malformed
from protocol.weights import BYTES_PER_MESSAGE, UNWEIGHED_BYTES
from server.logs import log
from server.transport.fast_path import POLICY_VIOLATION, FastPath, break_cycles
from server.transport.http import METRICS_PATH, WEBSOCKET_PATH, HttpHandler
from server.transport.ip_limits import PROMPT_S, Accepted, client_address, counted_address
from server.transport.rate_limit import RateLimit
from server.transport.services import Services
from server.vouchers import VOUCHER_HEADER, Voucher

CLOSE_GRACE_S = 1.0  # for the client to read the close frame and to close the connection
INTERNAL_ERROR = 1011  # close code
MAX_DEBT_S = 30.0  # after which a client that owes for its commands may send again
TIMER_MARGIN_S = 0.01  # a client's timer may fire some milliseconds early; an obedient client is not refused again


class ConnectionState(NamedTuple):
    """What another worker needs in order to go on with a connection."""

    request: bytes  # of the WebSocket handshake
    text: bool
    latency: float
    allowance: int
    tokens: float
    moves: int


class Arrival(NamedTuple):
    """What becomes of a connection of another worker: `arrived` lets the client in, `lost` is called if it has gone."""

    state: ConnectionState
    arrived: Callable[[Connection], Coroutine[Any, Any, None]]
    lost: Callable[[], object]


class Connection(FastPath):
    """A client, from the TCP handshake until the connection is lost."""

    __slots__ = (
        "abort_timer",
        "accepted",
        "account_change",
        "active_at",
        "address",
        "allowance",
        "arrival",
        "closing",
        "dropped",
        "http",
        "long_allowed_at",
        "lost",
        "moves",
        "opened_at",
        "rooms",
        "voucher",
    )

    def __init__(
        self, services: Services, http: HttpHandler, protocol: ServerProtocol, server: Server, **options: Any
    ) -> None:
        super().__init__(services, protocol, server, **options)
        self.http = http
        self.address = ""  # set when the connection counts for its IP address
        self.accepted: Accepted | None = None  # None if its IP address has far too many, or connects too often
        self.dropped = False  # without an answer
        self.voucher: Voucher | None = None  # of a client that runs for an SSH client
        self.rooms: dict[str, Any] = {}  # where the client plays or watches
        self.account_change = 0  # see Client
        self.long_allowed_at = 0.0  # when a client whose long message was refused may send the next one
        self.allowance = 1  # above 1, the client does not spend the budget of its address
        self.active_at = self.opened_at = self.loop.time()
        self.moves = 0  # from worker to worker
        self.arrival: Arrival | None = None  # of a connection of another worker, until it is resumed
        self.closing = False
        self.lost = False
        self.abort_timer: asyncio.TimerHandle | None = None

    # -- life cycle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection for its IP address; behind a proxy, the address is only in the HTTP request.

        To drop a connection costs little, because websockets is not told of it.
        """
        self.transport = cast(asyncio.Transport, transport)
        if not self.services.settings.forwarded:
            self.count_address(())
            self.dropped = self.accepted is None
        if self.dropped:
            self.services.metrics.turned_away["address"] += 1
            self.transport.abort()
            return
        super().connection_made(transport)
        self.services.handshaking.add(self)
        if self.arrival is not None:
            self.data_received(self.arrival.state.request)
            self.unread = b""  # commands and pings wait for `resume`

    def process_request(self, request: Request) -> Response | Awaitable[Response | None] | None:
        """Return an HTTP response, or None to open the WebSocket. An address that connects often has to wait."""
        if self.protocol.state is not CONNECTING:  # the connection is lost: nothing would remove what is counted now
            return unsent_response()
        path = request.path.partition("?")[0]
        self.count_request(path, request.headers)
        delay_s = 0.0
        if self.accepted is not None and self.arrival is None:
            now = self.loop.time()
            delay_s = self.accepted.answer_at - now
            if delay_s < -PROMPT_S:
                delay_s = self.services.ip_limits.delay_late_request(self.address, now)
        if delay_s > 0.0 or path == METRICS_PATH:
            return self.answer_later(request, path, delay_s)
        return self.answer_request(request, path)

    async def answer_later(self, request: Request, path: str, delay_s: float) -> Response | None:
        """Answer after a delay, and a request for metrics after those of all workers have come."""
        if delay_s > 0.0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.wait_closed(), delay_s)
                return unsent_response()
        if path == METRICS_PATH:
            await self.services.collect_metrics()
        return self.answer_request(request, path)

    def answer_request(self, request: Request, path: str) -> Response | None:
        """Return an HTTP response, or None to open the WebSocket."""
        self.services.handshaking.discard(self)
        accepted = self.accepted
        address_full = accepted is None or (
            path == WEBSOCKET_PATH and accepted.full and self.services.ip_limits.is_exceeded(self.address)
        )
        return self.http.respond(request, path, address_full)

    def count_request(self, path: str, headers: Headers) -> None:
        """Count a connection whose address is known from its request."""
        vouchers = headers.get_all(VOUCHER_HEADER) if path == WEBSOCKET_PATH else ()
        self.voucher = self.services.voucher_of(vouchers) if vouchers else None
        if self.voucher is not None:  # the socket is on this machine
            self.services.ip_limits.remove(self.address)
            self.count_address([self.voucher.address])
        elif not self.address:
            self.count_address(headers.get_all("X-Forwarded-For"))

    def count_address(self, forwarded: Sequence[str]) -> None:
        """Count the connection for the last address in X-Forwarded-For or else for that of the socket."""
        limits, remote = self.services.ip_limits, self.remote_address
        address = counted_address(client_address(str(remote[0]) if remote else "?", forwarded))
        if self.arrival is not None:  # another worker has accepted it
            limits.add(address)
            self.accepted = Accepted(0.0, full=False)
        else:
            self.accepted = limits.accept(address, self.loop.time())
        self.address = address if self.accepted is not None else ""

    async def run(self) -> None:
        """Serve the client until the connection is lost. Messages are handled as they arrive."""
        if self.subprotocol == JSON.subprotocol:
            self.use_json()
        self.services.connections.add(self)
        try:
            if self.arrival is not None:
                self.resume(self.arrival)
            with suppress(ConnectionClosed):
                await self.ping()  # measures the latency; the next ping follows only after the ping interval
            await self.wait_closed()
        finally:
            self.lost = True
            self.services.disconnected(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release what the connection holds."""
        if self.dropped:
            break_cycles(self.protocol)
            return
        self.can_send = False
        if self.arrival is not None:
            self.arrival.lost()
        self.services.ip_limits.remove(self.address)
        self.services.handshaking.discard(self)
        if self.abort_timer is not None:
            self.abort_timer.cancel()
        super().connection_lost(exc)
        break_cycles(self.protocol)

    def timeout_reason(self, now: float) -> str | None:
        """Return why to disconnect a client that has sent nothing for too long, or None."""
        if self.active:
            self.active, self.active_at = False, now
        settings = self.services.settings
        silent_s = now - self.active_at
        if self.player is None:
            return "no hello" if silent_s > settings.hello_timeout else None
        if silent_s <= settings.idle_timeout or self.rooms or self.services.awaits_events(self):
            return None
        return "idle"

    # -- from worker to worker

    def state_to_move(self) -> ConnectionState | None:
        """Return what another worker needs to go on with the connection, or None if it cannot be moved now.

        It can be moved between two messages, while all bytes for the client are with the system.
        """
        if self.pending is not None or self.fragments or not self.at_frame_start or not self.can_send or self.closing:
            return None
        if self.protocol.extensions or self.voucher is not None or self.backlog() or self.request is None:
            return None
        if self.transport.is_closing():  # an error, of which the protocol is not told yet
            return None
        if self.transport.get_extra_info("sslcontext") is not None:
            return None
        return ConnectionState(
            request=self.request.serialize(),
            text=self.text,
            latency=self.latency,
            allowance=self.allowance,
            tokens=self.rate_limit.tokens,
            moves=self.moves,
        )

    @property
    def descriptor(self) -> int:
        """The file descriptor of the socket."""
        return int(self.transport.get_extra_info("socket").fileno())

    def leave(self) -> None:
        """Read and write nothing more: another worker has the socket."""
        self.transport.pause_reading()
        self.muted, self.can_send = True, False

    def shut_down(self) -> None:
        """Close the connection, whichever process has its socket."""
        with suppress(OSError), socket.socket(fileno=os.dup(self.descriptor)) as shared:
            shared.shutdown(socket.SHUT_RDWR)
        self.transport.abort()

    def arrive(self, arrival: Arrival) -> None:
        """Go on with a connection of another worker, once its socket is connected.

        The handshake is repeated without an answer, and messages wait until the client is let in.
        """
        self.arrival = arrival
        self.muted, self.pending = True, deque()

    def resume(self, arrival: Arrival) -> None:
        """Restore the state after the repeated handshake, and let the client in."""
        state = arrival.state
        self.muted, self.can_send = False, self.protocol.state is OPEN
        if state.text and not self.text:
            self.use_json()
        self.latency, self.moves = state.latency, state.moves + 1
        if state.allowance > 1:
            self.raise_limits(state.allowance)
        self.rate_limit.tokens = min(self.rate_limit.tokens, state.tokens)
        self.services.spawn(arrival.arrived(self)).add_done_callback(self.finished)
        self.arrival = None
        unread, self.unread = self.unread, None
        if unread:
            self.transport.resume_reading()
            self.data_received(unread)

    # -- encoding

    def use_json(self) -> None:
        """Read and write JSON in text frames."""
        self.text, self.codec = True, JSON

    def frame_type_changed(self, text: bool) -> None:
        """Handle a frame of the wrong type (text for msgpack or binary for JSON).

        The first text frame of a client without a subprotocol selects JSON. Otherwise raises Malformed.
        """
        if text and self.subprotocol is None and self.player is None:
            self.use_json()
            return
        right, wrong = ("text", "binary") if self.text else ("binary", "text")
        raise Malformed(f"{wrong} frame received: send {self.codec.name} in {right} frames")

    # -- order

    def finish_later(self, answering: Coroutine[Any, Any, None]) -> None:
        """Answer a command in the background, and hold back the messages after it."""
        self.pending = deque()
        self.services.spawn(answering).add_done_callback(self.finished)

    def finished(self, task: asyncio.Task[None]) -> None:
        """Handle the messages that arrived while a command was being answered."""
        if task.cancelled():  # the server stops
            return
        error = task.exception()
        if error is not None:
            log("command_failed", logging.ERROR, trace=error)
            self.cut(INTERNAL_ERROR, "internal error")
        pending, self.pending = self.pending, None
        while pending:
            self.handle(*pending.popleft())
            held_back: deque[tuple[bytes, bool]] | None = self.pending
            if held_back is not None:  # this command takes time as well
                held_back.extend(pending)
                return
        if self.lost:  # the answered command may have put the client into a room
            self.services.disconnected(self)

    # -- rate limit

    def rate_exceeded(self, data: bytes) -> None:
        """Refuse a message over the rate limit."""
        limit = self.rate_limit
        self.count_refused_frame()
        if not self.failed:
            text = f"too many messages: send at most {limit.rate:g} per second"
            self.refuse(self.codec.find_id(data), "rate_limited", text, limit.seconds_to_token() + TIMER_MARGIN_S)

    def charge_frame(self) -> None:
        """Take a token for a frame that is not a message: it takes as long to read."""
        if not self.rate_limit.take(self.loop.time):
            self.count_refused_frame()

    def pay_for_length(self, data: bytes) -> bool:
        """Spend the budget of the address for a long message. Refuse it, and return False, if that is used up.

        A client that does not wait after a refusal is soon disconnected. One that waits may be refused again, because
        other clients of its address spend the budget as well.
        """
        if self.allowance > 1:
            return True
        now = self.loop.time()
        weight = (len(data) - UNWEIGHED_BYTES) / BYTES_PER_MESSAGE
        seconds = self.services.ip_limits.charge(self.address, weight, now)
        if seconds:
            if now < self.long_allowed_at:
                self.rate_limit.refused += len(data) // UNWEIGHED_BYTES - 1
                self.count_refused_frame()
            self.long_allowed_at = now + seconds
        if seconds and not self.failed:
            text = f"too many long messages: wait {seconds:.1f} seconds"
            self.refuse(self.codec.find_id(data), "rate_limited", text, seconds + TIMER_MARGIN_S)
        return not seconds

    def count_refused_frame(self) -> None:
        """Disconnect the client if it has been over the rate limit for too long."""
        if self.rate_limit.refuse():
            self.fail("too many messages")

    def charge(self, weight: int) -> tuple[float, float]:
        """Spend the rate limits of this connection and of its address for a command; `hello` only that of the address.

        Return the seconds to wait if one of them is used up, otherwise 0.0, and the seconds to wait before the work.
        """
        now = self.loop.time()
        refused_s = 0.0 if self.player is None else self.rate_limit.owe(weight - 1, now)
        if refused_s:
            return refused_s, 0.0
        if self.allowance > 1:
            return 0.0, self.pace(weight)
        return self.services.ip_limits.charge_command(self.address, weight, now)

    def charge_done(self, weight: float) -> None:
        """Spend the rate limits of this connection and of its address for work that is done.

        The client owes the missing tokens, but at most those that it regains in MAX_DEBT_S.
        """
        now = self.loop.time()
        self.rate_limit.spend_up_to(MAX_DEBT_S, weight, now)
        if self.allowance == 1:
            self.services.ip_limits.charge_done(self.address, weight, MAX_DEBT_S, now)

    def pace(self, weight: float) -> float:
        """Return the seconds to wait before a step of work of this weight."""
        return self.services.ip_limits.pace(self.address, weight / self.allowance, self.loop.time())

    def raise_limits(self, allowance: int) -> None:
        """Multiply the limits of the client, and give it a budget apart from that of its address."""
        settings, now = self.services.settings, self.loop.time()
        self.rate_limit = RateLimit(settings.rate * allowance, float(settings.burst * allowance), now)
        self.allowance = allowance

    # -- closing

    def backlog(self) -> int:
        """Return the number of bytes that the client has not read."""
        return self.transport.get_write_buffer_size()

    def cut(self, code: int, reason: str) -> None:
        """Close the connection; without a close frame if the client does not read."""
        if self.protocol.state is not OPEN or self.closing:
            return
        self.closing = True
        self.at_frame_start = False  # the parser of websockets decides what may follow
        self.log_disconnect(reason)
        if self.backlog() > self.services.settings.send_buffer:
            self.transport.abort()
        else:
            self.services.spawn(self.close(code, reason))

    def fail(self, reason: str) -> None:
        """Close the connection of a client that floods the server, and read nothing more."""
        self.at_frame_start, self.failed = False, True
        self.log_disconnect(reason)
        self.protocol.fail(POLICY_VIOLATION, reason)
        self.send_data()
        self.abort_soon()

    def abort_soon(self) -> None:
        """Abort the connection if the client does not close it."""
        if self.abort_timer is None:
            self.abort_timer = self.loop.call_later(CLOSE_GRACE_S, self.transport.abort)

    def log_disconnect(self, reason: str) -> None:
        """Count and log a disconnect by the server."""
        self.services.metrics.turned_away[reason] += 1
        log("cut", why=reason, address=self.address)


def unsent_response() -> Response:
    """Return a response for a connection that is lost. Without one, websockets would make another, and an exception."""
    return Response(HTTPStatus.SERVICE_UNAVAILABLE.value, "", Headers())
