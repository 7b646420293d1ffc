from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from client.sdk.events import Connected, Disconnected
from tests.client.sdk.fake_transport import welcome


def test_events_are_immutable_values() -> None:
    assert Disconnected("no answer", 1.5) == Disconnected("no answer", retry_in=1.5)
    assert Connected(welcome(), again=True) != Connected(welcome(), again=False)
    with pytest.raises(FrozenInstanceError):
        Disconnected("no answer", 1.5).reason = "other"  # type: ignore[misc]
