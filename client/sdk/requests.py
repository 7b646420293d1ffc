"""Requests of a session: match replies to commands, keep to the server's rate limit, resend after a reconnect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from client.sdk.errors import ConnectionLost, Refused, SessionError
from client.sdk.transport import Transport
from protocol.commands import (
    Abort,
    Command,
    Export,
    History,
    Join,
    Leaderboard,
    Leave,
    List,
    Lobby,
    Move,
    Puzzle,
    Ratings,
    ReportTournament,
    Resign,
    Review,
    Say,
    Tournaments,
    Watch,
    WatchTournament,
)
from protocol.replies import Error, Ok
from protocol.types import Limits, tag_of
from runtime.token_bucket import TokenBucket

RATE_SHARE = 0.9  # use less than the server's limits, because its clock may run differently
LATENCY_WEIGHT = 0.2  # of the newest measurement in the moving average
# Commands that are safe to send twice: the second copy changes nothing, or its error says that the first succeeded.
REPEATABLE = (
    Move, Join, Watch, Leave, List, Lobby, History, Leaderboard, Ratings, Export, Resign, Abort,
    ReportTournament, WatchTournament, Tournaments, Puzzle, Review,
)  # fmt: skip
# Commands that the caller sends again after `rate_limited`, if they still make sense then.
TIMELY = (Move, Say, Review)
# The error of a second copy when the first succeeded.
ALREADY_DONE = {Join: "already_seated", Leave: "not_seated", Resign: "game_over", Abort: "game_over"}


class PendingRequest:
    """A command without its reply. It may outlive the connection over which it was sent."""

    def __init__(self, command: Command, reply: asyncio.Future[Ok]) -> None:
        self.command, self.reply = command, reply
        self.sent = False
        self._sent_twice = False
        self.sent_at = 0.0

    def mark_sent(self) -> None:
        self._sent_twice, self.sent, self.sent_at = self.sent, True, time.monotonic()

    def connection_lost(self) -> None:
        """Fail with ConnectionLost if the command was sent and must not be sent twice."""
        if self.sent and not isinstance(self.command, REPEATABLE):
            self.fail(ConnectionLost("the connection was lost before the reply arrived"))

    def fail(self, error: SessionError) -> None:
        if not self.reply.done():
            self.reply.set_exception(error)
            self.reply.exception()  # mark as retrieved: the caller may have been cancelled

    def resolve(self, reply: Ok | Error) -> float:
        """Pass the reply to the caller. Return the seconds since the command was sent."""
        if not self.reply.done():
            if isinstance(reply, Ok):
                self.reply.set_result(reply)
            elif self._sent_twice and self._first_copy_succeeded(reply):
                seq = 0 if reply.snapshot is None else reply.snapshot.seq
                self.reply.set_result(Ok(id=self.command.id, seq=seq))
            else:
                self.reply.set_exception(Refused(reply))
        return time.monotonic() - self.sent_at

    def _first_copy_succeeded(self, error: Error) -> bool:
        """Return whether this error to the second copy shows that the server executed the first."""
        command, snapshot = self.command, error.snapshot
        if not isinstance(command, Move):
            return ALREADY_DONE.get(type(command)) == error.code
        if error.code == "game_over":
            return True  # the room's events say whether this move ended it
        played = () if snapshot is None else snapshot.moves[command.ply : command.ply + 1]
        return bool(played) and played[0].side == snapshot.your_seat and played[0].move == command.move  # type: ignore[union-attr]


class Requests:
    """All pending requests of a session, and the latency measured from their replies."""

    def __init__(self) -> None:
        self.transport: Transport | None = None
        self.latency = 0.0  # seconds from a command to its reply, as a moving average
        self._bucket = TokenBucket(30.0, 90.0, 0.0)
        self._weights: Mapping[str, int] = {}
        self._send_lock = asyncio.Lock()  # one sender at a time: after a stall they must not all find a token
        self._pending: dict[int, PendingRequest] = {}

    def connected(self, transport: Transport, limits: Limits, latency: float) -> list[PendingRequest]:
        """Use a new connection. Return the requests sent over the old one that have no reply yet."""
        self.transport, self.latency = transport, latency
        rate, burst = limits.messages_per_second * RATE_SHARE, limits.burst * RATE_SHARE
        self._bucket = TokenBucket(max(0.01, rate), max(1.0, burst), time.monotonic())
        self._weights = limits.weights
        return [request for request in self._pending.values() if request.sent]

    def lag(self, now: float) -> float:
        """Return the latency, or the time since the oldest unanswered command was sent if that is longer."""
        return max([self.latency, *(now - request.sent_at for request in self._pending.values() if request.sent)])

    def disconnected(self) -> None:
        """Fail the pending requests that must not be sent twice. The others wait for the next connection."""
        self.transport = None
        for request in self._pending.values():
            request.connection_lost()

    def fail(self, error: SessionError) -> None:
        """Fail all pending requests."""
        for request in self._pending.values():
            request.fail(error)

    async def ask(self, command: Command, ready: asyncio.Event) -> Ok:
        """Send a command once connected and return its reply. Raises Refused or ConnectionLost."""
        request = self._pending[command.id] = PendingRequest(command, asyncio.get_running_loop().create_future())
        try:
            await ready.wait()
            await self.send(request)
            return await self._reply(request)
        finally:
            del self._pending[command.id]

    async def _reply(self, request: PendingRequest) -> Ok:
        """Return the reply. A command over a rate limit is sent again when the server allows it."""
        while True:
            try:
                return await request.reply
            except Refused as error:
                if error.code != "rate_limited" or not error.retry_after or isinstance(request.command, TIMELY):
                    raise
                request.reply, request.sent = asyncio.get_running_loop().create_future(), False
                await asyncio.sleep(error.retry_after)
                await self.send(request)

    async def send(self, request: PendingRequest) -> None:
        """Send a request within the rate limit. Without a connection it is sent when the next one is up."""
        weight = self._weights.get(tag_of(type(request.command)), 1)
        async with self._send_lock:
            while seconds := self._bucket.wait(time.monotonic(), weight):  # noqa: ASYNC110  # waits for time to pass
                await asyncio.sleep(seconds)
        request.mark_sent()
        if self.transport is not None:
            await self.transport.send(request.command)

    def resolve(self, reply: Ok | Error) -> None:
        """Pass a reply to its request and update the latency."""
        request = None if reply.id is None else self._pending.get(reply.id)
        if request is not None:
            self.latency += LATENCY_WEIGHT * (request.resolve(reply) - self.latency)
