"""The MQTT client while it has no connection. tests/nodes has the tests with a broker."""

from __future__ import annotations

import pytest

from server.cluster.mqtt import client
from server.cluster.mqtt.client import MqttClient
from server.cluster.mqtt.fast_path import Publication
from server.cluster.mqtt.url import BrokerAddress

ADDRESS = BrokerAddress("127.0.0.1", 1, None, None, None)


def make_client() -> MqttClient:
    return MqttClient(ADDRESS, "test", lambda: Publication("will", b""), (), lambda *_: None, lambda: None)


async def test_messages_without_a_connection_are_counted_as_lost() -> None:
    mqtt = make_client()
    mqtt.send("topic", b"x")
    assert mqtt.lost == 1


async def test_messages_beyond_the_limit_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_UNSENT_BYTES", 1)
    mqtt = make_client()
    mqtt.up = True
    for _ in range(5):
        mqtt.send("topic", b"x")
    assert mqtt.lost == 3


async def test_unreachable_broker_does_not_block_close() -> None:
    mqtt = make_client()
    mqtt.start()
    await mqtt.close()
    assert not mqtt.up
