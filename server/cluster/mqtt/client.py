"""The connection to a broker: made again whenever it breaks, later and later; what is sent meanwhile is lost."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import aiomqtt

from server.cluster.mqtt.url import Address
from server.logs import log

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between attempts to connect
KEEPALIVE = 10  # seconds after which a broker notices that we are gone
PATIENCE = 5.0  # seconds for the broker to answer
MOST_WAITING = 10_000  # messages; a broker that cannot keep up misses the rest


class Post(NamedTuple):
    topic: str
    payload: bytes
    retain: bool = False


class Link:
    def __init__(
        self,
        address: Address,
        name: str,
        will: Post,
        topics: tuple[str, ...],
        received: Callable[[str, bytes, bool], None],
        connected: Callable[[], None],
    ) -> None:
        self._address, self._name, self._will, self._topics = address, name, will, topics
        self._received, self._connected = received, connected
        self._waiting: deque[Post] = deque()
        self._some = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None
        self.up = False
        self.lost = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Send what waits, if there is someone to send it to."""
        if self.up:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), 1)
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        if not self.up or len(self._waiting) >= MOST_WAITING:
            self.lost += 1
            return
        self._waiting.append(Post(topic, payload, retain))
        self._empty.clear()
        self._some.set()

    async def _run(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                async with self._client() as client:
                    for topic in self._topics:
                        await client.subscribe(topic)
                    pause = FIRST_PAUSE
                    await self._talk(client)
            except (aiomqtt.MqttError, OSError) as error:
                level = logging.WARNING if self.up or pause == FIRST_PAUSE else logging.DEBUG
                log("bus_lost", level, why=str(error) or type(error).__name__)
            self._hang_up()
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(LONGEST_PAUSE, pause * 2)

    def _client(self) -> aiomqtt.Client:
        at = self._address
        return aiomqtt.Client(
            at.host,
            at.port,
            username=at.user,
            password=at.password,
            tls_context=at.tls,
            identifier=self._name,
            will=aiomqtt.Will(*self._will[:2], retain=self._will.retain),
            keepalive=KEEPALIVE,
            timeout=PATIENCE,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # else a small message waits up to 40 ms
        )

    async def _talk(self, client: aiomqtt.Client) -> None:
        sending = asyncio.create_task(self._send_all(client))
        self.up = True
        log("bus_back")
        try:
            self._connected()
            async for message in client.messages:
                payload = message.payload
                if isinstance(payload, bytes):
                    self._received(str(message.topic), payload, message.retain)
        finally:
            sending.cancel()
            with suppress(asyncio.CancelledError, aiomqtt.MqttError):
                await sending

    async def _send_all(self, client: aiomqtt.Client) -> None:
        while True:
            while self._waiting:
                await client.publish(*self._waiting[0][:2], retain=self._waiting[0].retain)
                self._waiting.popleft()
            self._empty.set()
            self._some.clear()
            await self._some.wait()

    def _hang_up(self) -> None:
        self.up = False
        self.lost += len(self._waiting)
        self._waiting.clear()
        self._empty.set()
