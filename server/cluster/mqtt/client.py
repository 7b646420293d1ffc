"""A connection to an MQTT broker that reconnects when it breaks. Messages sent meanwhile are lost."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

import aiomqtt

from runtime.backoff import Backoff
from server.cluster.mqtt.fast_path import FastPath, Publication, Received
from server.cluster.mqtt.url import BrokerAddress
from server.logs import log

FIRST_RETRY_S, MAX_RETRY_S = 0.1, 1.0  # delays between attempts to connect
KEEPALIVE_S = 2  # the broker notices a lost node after 1.5 times this; a node notices a lost broker after twice this
TIMEOUT_S = 5.0  # for the broker to answer
CLOSE_TIMEOUT_S = 1  # to send the last messages
OVERLOAD_BYTES = 1 << 18  # unsent; senders then keep only the latest about each room
MAX_UNSENT_BYTES = 1 << 25  # further messages are lost
TOPICS_PER_REQUEST = 64  # to subscribe to


class MqttClient:
    """Publishes and receives messages. All messages of a loop iteration are sent in one write.

    `received`: called with topic, payload and whether the message was retained. `connected`: called after each
    connect. `subscribed`: called with topics that were added later. `will`: called before each connect, for what the
    broker publishes if this node dies.
    """

    def __init__(
        self,
        address: BrokerAddress,
        name: str,
        will: Callable[[], Publication],
        topics: tuple[str, ...],
        received: Received,
        connected: Callable[[], None],
        subscribed: Callable[[set[str]], None] = lambda topics: None,
    ) -> None:
        self._address, self._name, self._will, self._topics = address, name, will, topics
        self._received, self._connected, self._on_subscribed = received, connected, subscribed
        self._wanted: set[str] = set()  # topics that are needed at the moment, in addition to `topics`
        self._subscribed: set[str] = set()  # those of them that the broker knows
        self._changed = asyncio.Event()
        self._path: FastPath | None = None
        self._collected: list[Publication] = []
        self._collected_bytes = self._written_bytes = 0  # since the system took all of them
        self._task: asyncio.Task[None] | None = None
        self.up = False
        self.lost = 0

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Send the last messages if there is a connection, then disconnect."""
        self._flush()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                while self._path is not None and self._path.waits:  # noqa: ASYNC110  # paho has no event for it
                    await asyncio.sleep(0.001)
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    # -- sending

    @property
    def unsent_bytes(self) -> int:
        """Bytes that the system may not have taken yet, because the broker does not read them."""
        if self._path is None or not self._path.waits:
            self._written_bytes = 0
        return self._written_bytes + self._collected_bytes

    @property
    def overloaded(self) -> bool:
        """Whether the broker does not read as fast as this node sends."""
        return self._written_bytes + self._collected_bytes > OVERLOAD_BYTES and self.unsent_bytes > OVERLOAD_BYTES

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """Send a message at the end of this loop iteration, or count it as lost."""
        if not self.up or self._collected_bytes + self._written_bytes > MAX_UNSENT_BYTES:
            self.lost += 1
            return
        if not self._collected:
            asyncio.get_running_loop().call_soon(self._flush)
        self._collected.append(Publication(topic, payload, retain))
        self._collected_bytes += len(payload)

    def _flush(self) -> None:
        publications, self._collected = self._collected, []
        self._collected_bytes = 0
        if self._path is None:
            self.lost += len(publications)
        elif publications:
            if not self._path.waits:
                self._written_bytes = 0
            self._written_bytes += self._path.publish(publications)

    # -- subscribing

    def subscribe(self, topics: Iterable[str]) -> None:
        """Receive more topics from now on."""
        self._wanted.update(topics)
        self._changed.set()

    def unsubscribe(self, topics: Iterable[str]) -> None:
        """Stop receiving topics that were added later."""
        self._wanted.difference_update(topics)
        self._changed.set()

    async def _keep_subscribed(self, client: aiomqtt.Client) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            added, removed = self._wanted - self._subscribed, self._subscribed - self._wanted
            await self._subscribe(client, added)
            if removed:
                await client.unsubscribe(sorted(removed))
                self._subscribed -= removed
            if added:
                self._on_subscribed(added)

    async def _subscribe(self, client: aiomqtt.Client, topics: Iterable[str]) -> None:
        new = sorted(topics)
        for first in range(0, len(new), TOPICS_PER_REQUEST):
            some = new[first : first + TOPICS_PER_REQUEST]
            await client.subscribe([(topic, 0) for topic in some])
            self._subscribed.update(some)

    # -- running

    async def _run(self) -> None:
        backoff = Backoff(FIRST_RETRY_S, MAX_RETRY_S)
        while True:
            try:
                async with self._client() as client:
                    self._path = FastPath(client, self._received)
                    await client.subscribe([(topic, 0) for topic in self._topics])
                    self._subscribed = set()
                    await self._subscribe(client, set(self._wanted))
                    backoff.reset()
                    await self._exchange(client)
            except (aiomqtt.MqttError, OSError) as error:
                level = logging.WARNING if self.up or not backoff.failures else logging.DEBUG
                log("bus_lost", level, why=str(error) or type(error).__name__)
            except Exception:  # connect again: a node that no longer reads must not count as connected
                log("bug", logging.ERROR, trace=True)
            self._disconnected()
            await asyncio.sleep(backoff.next())

    def _client(self) -> aiomqtt.Client:
        at, will = self._address, self._will()
        return aiomqtt.Client(
            at.host,
            at.port,
            username=at.user,
            password=at.password,
            tls_context=at.tls,
            identifier=self._name,
            will=aiomqtt.Will(will.topic, will.payload, retain=will.retain),
            keepalive=KEEPALIVE_S,
            timeout=TIMEOUT_S,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],  # otherwise small messages wait up to 40 ms
        )

    async def _exchange(self, client: aiomqtt.Client) -> None:
        """Exchange messages until the connection breaks. Raises MqttError then."""
        self.up = True
        log("bus_back")
        self._connected()
        tasks = [asyncio.create_task(part(client)) for part in (self._keep_subscribed, self._wait_for_disconnect)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _wait_for_disconnect(self, client: aiomqtt.Client) -> None:
        async for _ in client.messages:  # never yields: messages go to `received`
            pass

    def _disconnected(self) -> None:
        self.up, self._path = False, None
        self.lost += len(self._collected)
        self._collected, self._collected_bytes, self._written_bytes = [], 0, 0
        self._subscribed = set()
