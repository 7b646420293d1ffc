"""Write many QoS 0 messages at once, and receive without a task for each, through internals of aiomqtt and paho.

aiomqtt's own publish costs 65 µs a message, this one 1 to 2 µs if there are many. A canary test
(tests/nodes/test_mqtt_fast_path.py) fails when a release closes this path; then messages are published one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import aiomqtt

PUBLISH, RETAIN = 0x30, 0x01  # first byte of a packet
AS_IF_CONFIRMED = 1  # the QoS that paho is told: it then keeps no record of each message

Received = Callable[[str, bytes, bool], None]  # topic, payload, whether it was retained


class Publication(NamedTuple):
    """A message to publish. The broker keeps a retained one for later subscribers."""

    topic: str
    payload: bytes
    retain: bool = False


def packet(publication: Publication) -> bytes:
    """Return the PUBLISH packet of a message with QoS 0, as in section 3.3 of MQTT 3.1.1."""
    topic, payload, retain = publication
    name = topic.encode()
    length = 2 + len(name) + len(payload)
    head = bytearray([PUBLISH | RETAIN if retain else PUBLISH])
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return b"".join((head, len(name).to_bytes(2, "big"), name, payload))


class FastPath:
    """The connection below an aiomqtt client. `received` is called for every message instead of aiomqtt's queue."""

    def __init__(self, client: aiomqtt.Client, received: Received) -> None:
        self._paho: Any = client._client
        self._write: Any = getattr(self._paho, "_packet_queue", None)
        self._paho.on_message = lambda paho, data, message: received(
            message.topic, bytes(message.payload), message.retain
        )

    @property
    def is_open(self) -> bool:
        """Whether messages can be written at once."""
        return self._write is not None

    @property
    def waits(self) -> bool:
        """Whether the system has not taken all written bytes yet."""
        return bool(self._paho.want_write())

    def publish(self, publications: Sequence[Publication]) -> int:
        """Write messages. Return the number of bytes."""
        if self._write is None:
            for publication in publications:
                self._paho.publish(publication.topic, publication.payload, 0, publication.retain)
            return sum(len(publication.payload) for publication in publications)
        data = b"".join(map(packet, publications))
        self._write(PUBLISH, data, 0, AS_IF_CONFIRMED)
        return len(data)
