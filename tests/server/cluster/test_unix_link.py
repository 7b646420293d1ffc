"""Connections between workers: several messages in one write, urgent ones soon, and again after a loss."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from shutil import rmtree
from typing import Any

import pytest

from server.cluster.unix import link
from server.cluster.unix.link import Message, Receiver, Sender
from server.workers.parent import private_folder
from tests.waiting import until


@pytest.fixture
def address() -> Iterator[str]:
    folder = private_folder()
    yield f"{folder}/worker"
    rmtree(folder)


class Listener:
    """Collects the writes of all senders."""

    def __init__(self) -> None:
        self.writes: list[list[Message]] = []
        self.receivers: list[Receiver] = []
        self.lost = 0

    async def open(self, address: str) -> asyncio.AbstractServer:
        return await asyncio.get_running_loop().create_unix_server(self._receiver, address)

    def _receiver(self) -> Receiver:
        self.receivers.append(Receiver(lambda receiver, messages: self.writes.append(messages), self._lost))
        return self.receivers[-1]

    def _lost(self, receiver: Receiver) -> None:
        self.lost += 1

    @property
    def messages(self) -> list[Any]:
        return [message for write in self.writes for message in write]


async def test_messages_of_one_iteration_are_one_write(address: str) -> None:
    listener = Listener()
    server = await listener.open(address)
    sender = Sender(address, lambda sender: sender.send(("hello",)))
    sender.start()
    await until("it is connected", lambda: listener.messages == [("hello",)])
    for number in range(100):
        sender.send((number, b"x" * 100_000))
    await until("all have arrived", lambda: len(listener.messages) == 101)
    assert [len(write) for write in listener.writes] == [1, 100]
    assert [message[0] for message in listener.messages[1:]] == list(range(100))
    await sender.close()
    await until("the end is noticed", lambda: listener.lost == 1)
    server.close()


async def test_message_that_is_not_urgent_goes_with_the_next_one(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "LATER_S", 3600.0)
    listener = Listener()
    server = await listener.open(address)
    sender = Sender(address, lambda sender: None)
    sender.start()
    await until("it is connected", lambda: sender.up)
    sender.send_later(("later",))
    sender.send(("now",))
    await until("both have arrived", lambda: listener.writes == [[("later",), ("now",)]])
    monkeypatch.setattr(link, "LATER_S", 0.0)
    sender.send_later(("alone",))
    await until("it has arrived", lambda: listener.messages[-1] == ("alone",))
    await sender.close()
    server.close()


async def test_sender_connects_again_and_drops_what_could_not_be_sent(address: str) -> None:
    listener = Listener()
    sender = Sender(address, lambda sender: sender.send(("hello",)))
    sender.start()
    sender.send(("lost",))
    assert sender.lost == 1
    server = await listener.open(address)
    await until("it is connected", lambda: listener.messages == [("hello",)])
    listener.receivers[0].close()
    await until("it is connected again", lambda: listener.messages == [("hello",), ("hello",)])
    await sender.close()
    server.close()


async def test_worker_that_reads_nothing_is_disconnected(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "MAX_UNSENT_BYTES", 1000)
    listener = Listener()
    server = await listener.open(address)
    sender = Sender(address, lambda sender: None)
    sender.start()
    await until("it is connected", lambda: len(listener.receivers) == 1 and sender.up)
    transport: Any = listener.receivers[0]._transport
    transport.pause_reading()
    sender.send((b"x" * 10_000_000,))
    await until("it is connected again", lambda: len(listener.receivers) == 2)
    await sender.close()
    transport.abort()
    server.close()
