"""Sign messages between nodes with a key in the store, and refuse forged and repeated ones.

A client of the broker without the key cannot change what players and watchers see.
"""

from __future__ import annotations

import hmac
from typing import Any

from protocol.codec import pack, unpack
from server.rooms.timers import Now

SIGNATURE_BYTES = 16
MAX_AGE_US = 30_000_000  # of a message
MAX_CLOCK_SKEW_US = 2_000_000  # between two nodes, whose clocks are set by the store
MAX_REMEMBERED_STAMPS = 10_000


class Refused(ValueError):
    """A message that no node has sent, or that was sent before."""


class Signer:
    """Signs the messages of one node and checks those of the others. A stamp, in microseconds, makes each unique."""

    def __init__(self, key: bytes, node: str, now: Now) -> None:
        self._key, self._node, self._now = key, node, now
        self._opened = now() * 1000
        self._stamp = 0  # of the last message of this node
        self._latest: dict[tuple[str, str], int] = {}  # by sender and topic

    def signature(self, topic: str, body: bytes) -> bytes:
        """Return the signature of a text for a topic."""
        return hmac.digest(self._key, topic.encode() + b"\0" + body, "sha256")[:SIGNATURE_BYTES]

    def sign(self, topic: str, items: list[Any]) -> bytes:
        """Return a message of this node."""
        self._stamp = max(self._stamp + 1, self._now() * 1000)
        body = pack((self._node, self._stamp, items))
        return self.signature(topic, body) + body

    def verify(self, topic: str, data: bytes) -> tuple[str, list[Any]]:
        """Return the sender and the content of a message. Raises Refused.

        A message is refused if it is not newer than the last one of its sender on this topic, if it is old, or if it
        was sent before this node started.
        """
        body = data[SIGNATURE_BYTES:]
        if not hmac.compare_digest(data[:SIGNATURE_BYTES], self.signature(topic, body)):
            raise Refused("the signature is wrong")
        node, stamp, items = unpack(body)
        known = self._latest.get((node, topic), 0)
        if stamp <= max(known, self._now() * 1000 - MAX_AGE_US, self._opened - MAX_CLOCK_SKEW_US):
            raise Refused("it was received before, or is too old")
        self._latest[node, topic] = stamp
        if len(self._latest) > MAX_REMEMBERED_STAMPS:
            self._forget_old_stamps()
        return node, items

    def _forget_old_stamps(self) -> None:
        oldest = self._now() * 1000 - MAX_AGE_US
        self._latest = {key: stamp for key, stamp in self._latest.items() if stamp > oldest}
