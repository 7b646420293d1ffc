from __future__ import annotations

import pytest

from server.rooms.client import Client, player_of
from server.transport.connection import Connection
from tests.server.domain.helpers import ANN
from tests.server.fakes import RecordingClient


def test_welcomed_client_has_a_player() -> None:
    assert player_of(RecordingClient(ANN)) is ANN


def test_client_has_no_player_before_the_welcome() -> None:
    with pytest.raises(AssertionError, match="only hello"):
        player_of(RecordingClient(None))


@pytest.mark.parametrize("kind", [Connection, RecordingClient])
def test_connections_implement_the_interface(kind: type) -> None:
    methods = [name for name, value in vars(Client).items() if not name.startswith("_") and callable(value)]
    assert sorted(methods) == [
        "backlog", "charge", "charge_done", "cut", "pace", "raise_limits", "refuse", "send", "write",
    ]  # fmt: skip
    assert not [name for name in methods if not callable(getattr(kind, name, None))]
