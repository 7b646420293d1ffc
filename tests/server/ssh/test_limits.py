"""Places for SSH sessions and connections."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from server.config import Settings
from server.ssh.limits import Full, Places


def test_places_are_limited_in_total_and_per_address() -> None:
    places = Places(total=3, per_address=2)
    with ExitStack() as taken:
        taken.enter_context(places.taken("2001:db8::1"))
        taken.enter_context(places.taken("2001:db8::2"))
        with pytest.raises(Full, match="your address has 2 SSH sessions"), places.taken("2001:db8::3"):
            pass
        taken.enter_context(places.taken("192.0.2.1"))
        with pytest.raises(Full, match="all 3 places for SSH are taken"), places.taken("192.0.2.2"):
            pass
    with places.taken("2001:db8::3"):  # all are free again
        assert places._counts.total() == 1


def test_clients_can_connect_to_be_told_that_there_is_no_place() -> None:
    settings = Settings(ssh_sessions=1, ssh_sessions_per_address=1)
    connections = Places.for_connections(settings)
    with ExitStack() as taken:
        for _ in range(2):
            taken.enter_context(connections.taken("192.0.2.1"))
