"""The number of connections per IP address."""

from __future__ import annotations

import asyncio

from server.transport.ip_limits import EXTRA_CONNECTIONS, IpLimits
from tests.e2e.local_server import until
from tests.server.transport.raw_client import RawClient
from tests.server.transport.stub_server import stub_server


def test_connections_are_counted_per_address() -> None:
    limits = IpLimits(2)
    assert all(limits.add("a") for _ in range(2))
    assert limits.add("b")
    assert not limits.is_exceeded("a")
    limits.add("a")
    assert limits.is_exceeded("a")
    assert not limits.is_exceeded("b")
    limits.remove("a")
    assert not limits.is_exceeded("a")


def test_far_too_many_connections_get_no_answer() -> None:
    limits = IpLimits(2)
    assert [limits.add("a") for _ in range(2 + EXTRA_CONNECTIONS + 1)] == [True] * (2 + EXTRA_CONNECTIONS) + [False]


def test_addresses_without_connections_are_forgotten() -> None:
    limits = IpLimits(2)
    for address in ("a", "b"):
        limits.add(address)
        limits.remove(address)
    limits.remove("")  # a connection that was never counted
    assert not limits._counts


async def test_closed_connections_no_longer_count() -> None:
    async with stub_server(connections_per_address=1) as server:
        for _ in range(3):
            async with await RawClient.open(server.port):
                assert len(server.ip_limits._counts) == 1
            await until("the connection is removed", lambda: not server.ip_limits._counts)


async def test_connections_without_a_request_count() -> None:
    async with stub_server(connections_per_address=1) as server:
        streams = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(1 + EXTRA_CONNECTIONS + 3)]
        await until("three are aborted", lambda: server.metrics.turned_away["address"] == 3)
        assert len(server.handshaking) == 1 + EXTRA_CONNECTIONS
        for _, writer in streams:
            writer.transport.abort()
        await until("all are removed", lambda: not server.handshaking and not server.ip_limits._counts)
