"""The number of connections per IP address."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.config import Settings
from server.transport.ip_limits import (
    BURST_IN_CONNECTIONS,
    EXTRA_CONNECTIONS,
    PACE,
    RATE_IN_CONNECTIONS,
    UNPACED_MESSAGES,
    IpLimits,
    client_address,
    counted_address,
)
from tests.e2e.local_server import until
from tests.server.transport.raw_client import RawClient
from tests.server.transport.stub_server import stub_server


def test_connections_are_counted_per_address() -> None:
    limits = IpLimits(Settings(connections_per_address=2))
    assert all(limits.add("a") for _ in range(2))
    assert limits.add("b")
    assert not limits.is_exceeded("a")
    limits.add("a")
    assert limits.is_exceeded("a")
    assert not limits.is_exceeded("b")
    limits.remove("a")
    assert not limits.is_exceeded("a")


def test_far_too_many_connections_get_no_answer() -> None:
    limits = IpLimits(Settings(connections_per_address=2))
    assert [limits.add("a") for _ in range(2 + EXTRA_CONNECTIONS + 1)] == [True] * (2 + EXTRA_CONNECTIONS) + [False]


def test_addresses_without_connections_are_forgotten() -> None:
    limits = IpLimits(Settings(connections_per_address=2))
    for address in ("a", "b"):
        limits.add(address)
        limits.remove(address)
    limits.remove("")  # a connection that was never counted
    assert not limits._counts


def test_work_for_an_address_is_spread_out_and_that_for_others_is_not() -> None:
    limits = IpLimits(Settings(rate=0.1, burst=1))
    assert limits.pace("a", UNPACED_MESSAGES, 0.0) == 0.0
    assert [limits.pace("a", PACE, 0.0) for _ in range(2)] == [1.0, 2.0]
    assert limits.pace("b", UNPACED_MESSAGES, 0.0) == 0.0
    assert limits.pace("a", 0.0, 2.0) == 0.0


def test_pace_is_above_any_budget() -> None:
    limits = IpLimits(Settings(rate=1e6))
    limits.pace("a", UNPACED_MESSAGES, 0.0)
    assert limits.pace("a", 3.0, 0.0) == pytest.approx(1 / RATE_IN_CONNECTIONS / 1e6)


def test_budget_of_an_address_is_that_of_several_connections() -> None:
    limits = IpLimits(Settings(rate=2.0, burst=5))
    assert (RATE_IN_CONNECTIONS, BURST_IN_CONNECTIONS) == (10, 4)
    assert [limits.charge("a", 10.0, 0.0) for _ in range(3)] == [0.0] * 3  # the last one is owed
    assert limits.charge("a", 1.0, 0.0) == 0.5
    assert limits.charge("b", 1.0, 0.0) == 0.0
    assert limits.charge("a", 1.0, 0.5) == 0.0


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_addresses_of_an_ipv6_network_count_as_one(address: str, counted: str) -> None:
    assert counted_address(address) == counted


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ([], "10.0.0.1"),
        (["6.6.6.6, 1.2.3.4"], "1.2.3.4"),
        (["6.6.6.6", " 1.2.3.4 "], "1.2.3.4"),
        (["6.6.6.6,"], "10.0.0.1"),
    ],
)
def test_last_forwarded_address_is_that_of_the_client(forwarded: list[str], address: str) -> None:
    assert client_address("10.0.0.1", forwarded) == address


async def test_forwarded_ipv6_addresses_count_by_network() -> None:
    async with stub_server(connections_per_address=1, forwarded=True) as server:
        url = f"ws://127.0.0.1:{server.port}/ws"
        async with connect(url, additional_headers={"X-Forwarded-For": "2001:db8::1"}):
            assert list(server.ip_limits._counts) == ["2001:db8::/64"]
            with pytest.raises(InvalidStatus):
                await connect(url, additional_headers={"X-Forwarded-For": "2001:db8::2"})


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
