"""Commands on their way: each waits for its answer, no faster than the server likes, over however many connections."""

from __future__ import annotations

import asyncio
import time

from client.sdk.errors import SessionError
from client.sdk.transport import Link
from client.sdk.waiting import Waiting
from protocol.commands import Command
from protocol.replies import Error, Ok
from protocol.types import Limits
from runtime.token_bucket import TokenBucket

RATE_SHARE = 0.9  # of the server's limits, since its clock is not ours
LATENCY_WEIGHT = 0.2  # of the newest measurement


class Asking:
    def __init__(self) -> None:
        self.link: Link | None = None
        self.latency = 0.0  # seconds for a question and its answer, lately
        self._bucket = TokenBucket(30.0, 90.0, 0.0)
        self._turn = asyncio.Lock()  # one after the other: if we stand still, not all of them are due at once
        self._waiting: dict[int, Waiting] = {}

    def connected(self, link: Link, limits: Limits, latency: float) -> list[Waiting]:
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
        waiting = self._waiting[command.id] = Waiting(command, asyncio.get_running_loop().create_future())
        try:
            await ready.wait()
            await self.send(waiting)
            return await waiting.answer
        finally:
            del self._waiting[command.id]

    async def send(self, waiting: Waiting) -> None:
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
