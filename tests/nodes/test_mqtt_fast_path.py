"""The fast path below aiomqtt. These tests fail when a release of aiomqtt or paho closes it."""

from __future__ import annotations

import aiomqtt
import pytest

from bench.cluster.broker import Broker, available
from server.cluster.mqtt.fast_path import FastPath, Publication
from tests.waiting import until

pytestmark = pytest.mark.parametrize("broker", available() or ["nats"], indirect=True)
SIZES = (0, 1, 100, 127, 128, 16_383, 16_384, 70_000)  # around the sizes at which the length takes one byte more


async def test_messages_written_at_once_arrive(broker: Broker, prefix: str) -> None:
    got: list[tuple[str, bytes, bool]] = []
    async with (
        aiomqtt.Client("127.0.0.1", broker.port) as sender,
        aiomqtt.Client("127.0.0.1", broker.port) as receiver,
    ):
        FastPath(receiver, lambda *message: got.append(message))
        await receiver.subscribe(f"{prefix}/#")
        path = FastPath(sender, lambda *message: None)
        assert path.is_open, "aiomqtt or paho has changed: see server/cluster/mqtt/fast_path.py"
        sent = [Publication(f"{prefix}/{size}", b"x" * size) for size in SIZES]
        assert path.publish(sent) > sum(SIZES)
        await until("all have arrived", lambda: len(got) == len(sent))
        assert got == [(topic, payload, False) for topic, payload, _ in sent]
        await until("nothing waits", lambda: not path.waits)
        await sender.publish(f"{prefix}/last", b"y")  # the client itself still works
        await until("it has arrived", lambda: got[-1][0] == f"{prefix}/last")


async def test_retained_message_is_kept_and_deleted(broker: Broker, prefix: str) -> None:
    async with aiomqtt.Client("127.0.0.1", broker.port) as sender:
        path = FastPath(sender, lambda *message: None)
        path.publish([Publication(f"{prefix}/kept", b"x", True), Publication(f"{prefix}/gone", b"x", True)])
        path.publish([Publication(f"{prefix}/gone", b"", True)])
        await sender.publish(f"{prefix}/after", b"x", qos=1)
    got: list[tuple[str, bytes, bool]] = []
    async with aiomqtt.Client("127.0.0.1", broker.port) as late:
        FastPath(late, lambda *message: got.append(message))
        await late.subscribe(f"{prefix}/#")
        await until("it has arrived", lambda: bool(got))
        await late.publish(f"{prefix}/last", b"")
        await until("the last has arrived", lambda: got[-1][0] == f"{prefix}/last")
    assert got[0] == (f"{prefix}/kept", b"x", True)
    assert len(got) == 2


async def test_without_the_internals_messages_are_published_one_by_one(broker: Broker, prefix: str) -> None:
    got: list[str] = []
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        path = FastPath(client, lambda topic, payload, retained: got.append(topic))
        await client.subscribe(f"{prefix}/#")
        path._write = None
        path.publish([Publication(f"{prefix}/{number}", b"x") for number in range(3)])
        await until("all have arrived", lambda: len(got) == 3)
