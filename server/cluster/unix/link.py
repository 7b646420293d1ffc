"""Connections between the workers of one machine. Messages of about a millisecond are sent in one write.

A worker sends on the connections it has opened, one to each other worker, and receives on those it has accepted.
Messages are tuples in the form of `marshal`: all workers run the same Python, and no other user can connect.
"""

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from runtime.backoff import Backoff

LENGTH_BYTES = 4
FIRST_RETRY_S, MAX_RETRY_S = 0.02, 0.5  # delays between attempts to connect
FLUSH_INTERVAL_S = 0.001  # between writes to a worker: every write wakes another process up
LATER_S = 0.05  # for messages that are not urgent
MAX_UNSENT_BYTES = 1 << 25  # a worker that reads nothing is disconnected; when it is back, it reads the store

Message = tuple[Any, ...]


class Sender(asyncio.Protocol):
    """The connection to one other worker. It is opened again whenever it is lost; messages meanwhile are dropped."""

    def __init__(self, address: str, on_connect: Callable[[Sender], None]) -> None:
        self._address, self._on_connect = address, on_connect
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._closed: asyncio.Future[None] | None = None
        self._collected: list[Message] = []
        self._next_flush_s = 0.0
        self._flushing = False  # soon
        self._task: asyncio.Task[None] | None = None
        self.lost = 0  # messages that could not be sent

    @property
    def up(self) -> bool:
        """Whether the other worker is connected."""
        return self._transport is not None

    def start(self) -> None:
        """Connect in the background."""
        self._task = self._loop.create_task(self._run())

    async def close(self) -> None:
        """Send what is collected, and disconnect."""
        self._flush()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if self._transport is not None:
            self._transport.close()

    async def _run(self) -> None:
        backoff = Backoff(FIRST_RETRY_S, MAX_RETRY_S)
        while True:
            try:
                await self._loop.create_unix_connection(lambda: self, self._address)
            except OSError:
                await asyncio.sleep(backoff.next())
                continue
            backoff.reset()
            assert self._closed is not None
            await self._closed

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.WriteTransport, transport)
        self._closed = self._loop.create_future()
        self._collected = []
        self._on_connect(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._closed is not None and not self._closed.done():
            self._closed.set_result(None)

    def send(self, message: Message) -> None:
        """Send a message at the end of this loop iteration, or FLUSH_INTERVAL_S after the last ones."""
        if self._transport is None:
            self.lost += 1
            return
        if not self._flushing:
            self._flushing = True
            if self._loop.time() < self._next_flush_s:
                self._loop.call_at(self._next_flush_s, self._flush)
            else:
                self._loop.call_soon(self._flush)
        self._collected.append(message)

    def send_later(self, message: Message) -> None:
        """Send a message with the next one that is urgent, or after LATER_S: it need not wake the other worker up."""
        if self._transport is None:
            self.lost += 1
            return
        if not self._collected:
            self._loop.call_later(LATER_S, self._flush)
        self._collected.append(message)

    def _flush(self) -> None:
        self._flushing = False
        messages, self._collected = self._collected, []
        if self._transport is None or not messages:
            self.lost += len(messages)
            return
        self._next_flush_s = self._loop.time() + FLUSH_INTERVAL_S
        data = marshal.dumps(messages)
        self._transport.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)
        if self._transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._transport.abort()


class Receiver(asyncio.Protocol):
    """A connection that another worker has opened. `on_messages` is called with each write, `on_lost` at the end."""

    def __init__(
        self, on_messages: Callable[[Receiver, list[Message]], None], on_lost: Callable[[Receiver], None]
    ) -> None:
        self._on_messages, self._on_lost = on_messages, on_lost
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self.index = -1  # of the other worker, once it has introduced itself
        self.node = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        start = 0
        while len(buffer) - start > LENGTH_BYTES:
            end = start + LENGTH_BYTES + int.from_bytes(buffer[start : start + LENGTH_BYTES], "big")
            if len(buffer) < end:
                break
            self._on_messages(self, marshal.loads(buffer[start + LENGTH_BYTES : end]))
            start = end
        self._buffer = buffer[start:]

    def connection_lost(self, error: Exception | None) -> None:
        self._on_lost(self)

    def close(self) -> None:
        """Disconnect."""
        if self._transport is not None:
            self._transport.close()
