"""Commands on their way: each waits for its answer, no faster than the server likes, over however many connections."""

from __future__ import annotations

import asyncio
import time

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
    Ratings,
    Resign,
    Watch,
)
from protocol.replies import Error, Ok
from protocol.types import Limits
from runtime.token_bucket import TokenBucket

RATE_SHARE = 0.9  # of the server's limits, since its clock is not ours
LATENCY_WEIGHT = 0.2  # of the newest measurement
# What may be sent twice: the second time changes nothing, or says that the first one was done.
REPEATABLE = (
    Move, Join, Watch, Leave, List, Lobby, History, Leaderboard, Ratings, Export, Resign, Abort
)  # fmt: skip
DONE_ALREADY = {Join: "already_seated", Leave: "not_seated", Resign: "game_over", Abort: "game_over"}


class PendingRequest:
    def __init__(self, command: Command, answer: asyncio.Future[Ok]) -> None:
        self.command, self.answer = command, answer
        self.sent = False
        self._again = False  # it may have arrived twice
        self.since = 0.0

    def on_its_way(self) -> None:
        self._again, self.sent, self.since = self.sent, True, time.monotonic()

    def cut(self) -> None:
        """The connection is gone: what may be sent again waits for the next."""
        if self.sent and not isinstance(self.command, REPEATABLE):
            self.fail(ConnectionLost("the connection was lost before the answer came"))

    def fail(self, error: SessionError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)
            self.answer.exception()  # whoever asked may have gone away

    def resolve(self, reply: Ok | Error) -> float:
        """How long it took, in seconds."""
        if not self.answer.done():
            if isinstance(reply, Ok):
                self.answer.set_result(reply)
            elif self._again and self._was_done(reply):
                seq = 0 if reply.snapshot is None else reply.snapshot.seq
                self.answer.set_result(Ok(id=self.command.id, seq=seq))
            else:
                self.answer.set_exception(Refused(reply))
        return time.monotonic() - self.since

    def _was_done(self, error: Error) -> bool:
        """The first copy had arrived after all, and this is the answer to the second."""
        command, seen = self.command, error.snapshot
        if not isinstance(command, Move):
            return DONE_ALREADY.get(type(command)) == error.code
        if error.code == "game_over":
            return True  # whether by this very move or not, the table tells
        played = () if seen is None else seen.moves[command.ply : command.ply + 1]
        return bool(played) and played[0].side == seen.your_seat and played[0].move == command.move  # type: ignore[union-attr]


class Requests:
    def __init__(self) -> None:
        self.link: Transport | None = None
        self.latency = 0.0  # seconds for a question and its answer, lately
        self._bucket = TokenBucket(30.0, 90.0, 0.0)
        self._turn = asyncio.Lock()  # one after the other: if we stand still, not all of them are due at once
        self._waiting: dict[int, PendingRequest] = {}

    def connected(self, link: Transport, limits: Limits, latency: float) -> list[PendingRequest]:
        """A new connection; what was sent over the old one and has no answer yet."""
        self.link, self.latency = link, latency
        rate, burst = limits.messages_per_second * RATE_SHARE, limits.burst * RATE_SHARE
        self._bucket = TokenBucket(max(0.01, rate), max(1.0, burst), time.monotonic())
        return [waiting for waiting in self._waiting.values() if waiting.sent]

    def lag(self, now: float) -> float:
        """Seconds for an answer, lately, or so far if one lets us wait for longer."""
        return max([self.latency, *(now - waiting.since for waiting in self._waiting.values() if waiting.sent)])

    def disconnected(self) -> None:
        self.link = None
        for waiting in self._waiting.values():
            waiting.cut()

    def fail(self, error: SessionError) -> None:
        for waiting in self._waiting.values():
            waiting.fail(error)

    async def ask(self, command: Command, ready: asyncio.Event) -> Ok:
        """Send a command as soon as there is a connection, and wait for its answer."""
        waiting = self._waiting[command.id] = PendingRequest(command, asyncio.get_running_loop().create_future())
        try:
            await ready.wait()
            await self.send(waiting)
            return await waiting.answer
        finally:
            del self._waiting[command.id]

    async def send(self, waiting: PendingRequest) -> None:
        async with self._turn:
            while seconds := self._bucket.wait(time.monotonic()):  # noqa: ASYNC110  # it is time that is waited for
                await asyncio.sleep(seconds)
        waiting.on_its_way()
        if self.link is not None:
            await self.link.send(waiting.command)

    def answered(self, reply: Ok | Error) -> None:
        waiting = None if reply.id is None else self._waiting.get(reply.id)
        if waiting is not None:
            self.latency += LATENCY_WEIGHT * (waiting.resolve(reply) - self.latency)
