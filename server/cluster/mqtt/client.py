"""A connection to an MQTT broker that reconnects when it breaks. Messages sent meanwhile are lost."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import aiomqtt

from runtime.backoff import Backoff
from server.cluster.mqtt.url import BrokerAddress
from server.logs import log

FIRST_RETRY_S, MAX_RETRY_S = 0.1, 5.0  # delays between attempts to connect
KEEPALIVE_S = 10  # after which the broker notices that this node is gone
TIMEOUT_S = 5.0  # for the broker to answer
CLOSE_TIMEOUT_S = 1  # to send the queued messages
MAX_QUEUED_MESSAGES = 10_000  # further messages are lost if the broker cannot keep up


class Publication(NamedTuple):
    """A message to publish. The broker keeps a retained one for later subscribers."""

    topic: str
    payload: bytes
    retain: bool = False


class MqttClient:
    """Publishes and receives messages.

    `received`: called with topic, payload and whether the message was retained. `connected`: called after each
    connect. `will`: what the broker publishes if this node dies.
    """

    def __init__(
        self,
        address: BrokerAddress,
        name: str,
        will: Publication,
        topics: tuple[str, ...],
        received: Callable[[str, bytes, bool], None],
        connected: Callable[[], None],
    ) -> None:
        self._address, self._name, self._will, self._topics = address, name, will, topics
        self._received, self._connected = received, connected
        self._queue: deque[Publication] = deque()
        self._not_empty = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task: asyncio.Task[None] | None = None
        self.up = False
        self.lost = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Send the queued messages if there is a connection, then disconnect."""
        if self.up:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), CLOSE_TIMEOUT_S)
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """Queue a message, or count it as lost if there is no connection or the queue is full."""
        if not self.up or len(self._queue) >= MAX_QUEUED_MESSAGES:
            self.lost += 1
            return
        self._queue.append(Publication(topic, payload, retain))
        self._empty.clear()
        self._not_empty.set()

    async def _run(self) -> None:
        backoff = Backoff(FIRST_RETRY_S, MAX_RETRY_S)
        while True:
            try:
                async with self._client() as client:
                    for topic in self._topics:
                        await client.subscribe(topic)
                    backoff.reset()
                    await self._exchange(client)
            except (aiomqtt.MqttError, OSError) as error:
                level = logging.WARNING if self.up or not backoff.failures else logging.DEBUG
                log("bus_lost", level, why=str(error) or type(error).__name__)
            except Exception:  # connect again: a node that no longer reads must not count as connected
                log("bug", logging.ERROR, trace=True)
            self._discard_queue()
            await asyncio.sleep(backoff.next())

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
            keepalive=KEEPALIVE_S,
            timeout=TIMEOUT_S,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # otherwise small messages wait up to 40 ms
        )

    async def _exchange(self, client: aiomqtt.Client) -> None:
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
            while self._queue:
                await client.publish(*self._queue[0][:2], retain=self._queue[0].retain)
                self._queue.popleft()
            self._empty.set()
            self._not_empty.clear()
            await self._not_empty.wait()

    def _discard_queue(self) -> None:
        self.up = False
        self.lost += len(self._queue)
        self._queue.clear()
        self._empty.set()
