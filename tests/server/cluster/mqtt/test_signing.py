"""Signatures of messages between nodes."""

from __future__ import annotations

import pytest

from server.cluster.mqtt import signing
from server.cluster.mqtt.signing import MAX_AGE_US, Refused, Signer
from tests.server.domain.helpers import NOW

KEY = b"k" * 32


def test_message_is_read_once_and_only_on_its_topic() -> None:
    sender, receiver = Signer(KEY, "a", lambda: NOW), Signer(KEY, "b", lambda: NOW)
    first, second = sender.sign("t", [("x", b"1")]), sender.sign("t", [("y",)])
    assert receiver.verify("t", first) == ("a", [["x", b"1"]])
    assert receiver.verify("t", second) == ("a", [["y"]])
    for repeated in (first, second):
        with pytest.raises(Refused, match="before"):
            receiver.verify("t", repeated)
    with pytest.raises(Refused, match="signature"):
        receiver.verify("u", sender.sign("t", []))


def test_changed_message_is_refused() -> None:
    sender, receiver = Signer(KEY, "a", lambda: NOW), Signer(KEY, "b", lambda: NOW)
    message = sender.sign("t", ["hello"])
    for number in range(len(message)):
        changed = bytearray(message)
        changed[number] ^= 1
        with pytest.raises(Refused):
            receiver.verify("t", bytes(changed))
    for text in (b"", b"short", Signer(b"x" * 32, "a", lambda: NOW).sign("t", [])):
        with pytest.raises(Refused):
            receiver.verify("t", text)
    assert receiver.verify("t", message) == ("a", ["hello"])


def test_old_message_is_refused_by_a_node_that_has_not_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now = NOW
    sender, receiver = Signer(KEY, "a", lambda: now), Signer(KEY, "b", lambda: now)
    message = sender.sign("t", [])
    now += MAX_AGE_US // 1000 + 1
    with pytest.raises(Refused):
        receiver.verify("t", message)
    now = NOW + 5000
    late = Signer(KEY, "c", lambda: now)  # it has started after the message was sent
    with pytest.raises(Refused):
        late.verify("t", message)
    monkeypatch.setattr(signing, "MAX_REMEMBERED_STAMPS", 1)
    for topic in ("t", "u", "v"):
        receiver.verify(topic, sender.sign(topic, []))
    assert len(receiver._latest) == 3  # all of them are recent
    now += MAX_AGE_US // 1000 + 1
    receiver.verify("w", sender.sign("w", []))
    assert len(receiver._latest) == 1
