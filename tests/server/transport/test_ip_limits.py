"""The number of connections per IP address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.config import Settings
from server.transport import connection
from server.transport.ip_limits import (
    BURST_IN_CONNECTIONS,
    CONNECTION_WEIGHT,
    EXTRA_CONNECTIONS,
    MAX_CONNECT_DELAY_S,
    PACE,
    RATE_IN_CONNECTIONS,
    UNPACED_MESSAGES,
    Accepted,
    IpLimits,
    client_address,
    counted_address,
)
from tests.e2e.local_server import until
from tests.server.transport.raw_client import RawClient
from tests.server.transport.stub_server import StubServices, stub_server
from tests.waiting import TIMEOUT_S

LIMITED = {"rate": 30.0, "burst": 90}  # as by default
REQUEST = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
UPGRADE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


def test_connections_are_counted_per_address() -> None:
    limits = IpLimits(Settings(connections_per_address=2))
    assert [accept(limits, "a").full for _ in range(3)] == [False, False, True]
    assert not accept(limits, "b").full
    limits.remove("a")
    assert accept(limits, "a").full
    for _ in range(2):
        limits.remove("a")
    assert not accept(limits, "a").full


def test_far_too_many_connections_are_dropped_and_not_counted() -> None:
    limits = IpLimits(Settings(connections_per_address=2))
    for _ in range(2 + EXTRA_CONNECTIONS):
        accept(limits, "a")
    assert [limits.accept("a", 0.0) for _ in range(3)] == [None] * 3
    assert not accept(limits, "b").full
    limits.remove("a")
    assert accept(limits, "a").full


def test_address_that_connects_often_waits_and_is_then_dropped() -> None:
    limits, waits = IpLimits(Settings()), []
    while (accepted := limits.accept("a", 0.0)) is not None:
        waits.append(accepted.answer_at)
        limits.remove("a")  # so that only their number per second counts
    at_once = int(UNPACED_MESSAGES / CONNECTION_WEIGHT)
    assert waits[: at_once + 2] == [0.0] * at_once + [CONNECTION_WEIGHT / PACE, 2 * CONNECTION_WEIGHT / PACE]
    assert MAX_CONNECT_DELAY_S - CONNECTION_WEIGHT / PACE < waits[-1] <= MAX_CONNECT_DELAY_S
    assert accept(limits, "b").answer_at == 0.0
    assert accept(limits, "a", 1.0).answer_at == pytest.approx(waits[-1] + CONNECTION_WEIGHT / PACE)


def test_late_requests_wait_for_each_other() -> None:
    limits, at_once = IpLimits(Settings()), int(UNPACED_MESSAGES / CONNECTION_WEIGHT)
    delays = [limits.delay_late_request("a", 1.0) for _ in range(at_once + 100)]
    assert delays[:at_once] == [0.0] * at_once
    assert delays[at_once:] == [pytest.approx(number * CONNECTION_WEIGHT / PACE) for number in range(1, 101)]
    assert limits.delay_late_request("b", 1.0) == 0.0


def test_all_connections_that_an_address_may_have_are_answered_within_a_second() -> None:
    limits = IpLimits(Settings(connections_per_address=5000))
    assert max(accept(limits, "a").answer_at for _ in range(5000)) <= 1.0


def accept(limits: IpLimits, address: str, now: float = 0.0) -> Accepted:
    """Count a connection that is not dropped."""
    accepted = limits.accept(address, now)
    assert accepted is not None
    return accepted


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


def test_command_spends_the_budget_and_waits_for_the_pace() -> None:
    limits = IpLimits(Settings(rate=2.0, burst=15))
    assert limits.charge_command("a", 40, 0.0) == (0.0, 0.0)
    assert limits.charge_command("a", 40, 0.0) == (0.0, 40 / PACE)
    assert limits.charge_command("a", 2, 0.0) == (0.9, 0.0)  # 60 tokens at once, of which 78 are spent
    assert limits.pace("a", 0.0, 0.0) == 40 / PACE  # what is refused is no work


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


@asynccontextmanager
async def requesting(
    port: int, path: str, address: str = "127.0.0.1", headers: bytes = b""
) -> AsyncIterator[asyncio.StreamReader]:
    """Send a request from an address of this machine, and yield where the response will be."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(REQUEST % (path.encode(), headers + (UPGRADE if path == "/ws" else b"")))
    try:
        yield reader
    finally:
        writer.transport.abort()


def connect_often(server: StubServices, address: str, seconds: float) -> None:
    """Spend the pace of an address, so that its next connection has to wait for some seconds."""
    server.ip_limits.pace(address, UNPACED_MESSAGES + PACE * seconds, asyncio.get_running_loop().time())


async def test_stranger_that_connects_often_is_dropped_and_others_are_not() -> None:
    async with stub_server(**LIMITED) as server:
        connect_often(server, "127.0.0.1", MAX_CONNECT_DELAY_S + TIMEOUT_S)
        async with requesting(server.port, "/healthz") as dropped:
            with suppress(ConnectionResetError):
                assert await dropped.read() == b""
        assert server.metrics.turned_away["address"] == 1
        assert not server.handshaking
        assert not server.ip_limits._counts
        async with requesting(server.port, "/ws", "127.0.0.2") as answered:
            assert b" 101 " in await answered.readline()


@pytest.mark.parametrize("path", ["/ws", "/healthz"])
async def test_requests_of_an_address_that_connects_often_wait(path: str) -> None:
    async with stub_server(**LIMITED) as server:
        connect_often(server, "127.0.0.1", MAX_CONNECT_DELAY_S / 2)
        async with (
            requesting(server.port, path) as late,
            requesting(server.port, path, "127.0.0.2") as prompt,
        ):
            waiting, answered = (asyncio.create_task(reader.readline()) for reader in (late, prompt))
            done, _ = await asyncio.wait([waiting, answered], return_when=asyncio.FIRST_COMPLETED)
            assert done == {answered}
            assert (await waiting).startswith(b"HTTP/1.1 ")


async def test_late_requests_of_an_address_are_answered_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PROMPT_S", -TIMEOUT_S)  # every request counts as late
    async with stub_server(**LIMITED) as server:
        now = asyncio.get_running_loop().time()
        for _ in range(int((UNPACED_MESSAGES + PACE) / CONNECTION_WEIGHT)):
            server.ip_limits.delay_late_request("127.0.0.1", now)
        async with requesting(server.port, "/ws") as late, requesting(server.port, "/ws", "127.0.0.2") as prompt:
            waiting, answered = (asyncio.create_task(reader.readline()) for reader in (late, prompt))
            done, _ = await asyncio.wait([waiting, answered], return_when=asyncio.FIRST_COMPLETED)
            assert done == {answered}
            assert b" 101 " in await waiting


async def test_client_that_gives_up_while_it_waits_is_forgotten() -> None:
    async with stub_server(**LIMITED) as server:
        connect_often(server, "127.0.0.1", MAX_CONNECT_DELAY_S / 2)
        async with requesting(server.port, "/ws"):
            await until("the connection is accepted", lambda: bool(server.handshaking))
        await until("it is forgotten", lambda: not server.handshaking and not server.ip_limits._counts)


async def test_page_can_be_reloaded_when_its_address_has_all_its_connections() -> None:
    async with stub_server(connections_per_address=1) as server:
        async with await RawClient.open(server.port):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            await until("the new connection counts", lambda: server.ip_limits._counts["127.0.0.1"] == 2)
        await until("the old one has closed", lambda: server.ip_limits._counts["127.0.0.1"] == 1)
        writer.write(REQUEST % (b"/ws", UPGRADE))
        assert b" 101 " in await reader.readline()
        writer.transport.abort()


async def test_stranger_behind_a_proxy_that_connects_often_gets_429() -> None:
    async with stub_server(forwarded=True, **LIMITED) as server:
        connect_often(server, "192.0.2.7", MAX_CONNECT_DELAY_S + TIMEOUT_S)
        for address, status in ((b"192.0.2.7", b"429"), (b"192.0.2.8", b"200")):
            header = b"X-Forwarded-For: %s\r\n" % address
            async with requesting(server.port, "/healthz", headers=header) as reader:
                assert (await reader.readline()).split()[1] == status
        assert server.metrics.turned_away["address"] == 1


async def test_connections_without_a_request_count() -> None:
    async with stub_server(connections_per_address=1) as server:
        streams = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(1 + EXTRA_CONNECTIONS + 3)]
        await until("three are aborted", lambda: server.metrics.turned_away["address"] == 3)
        assert len(server.handshaking) == 1 + EXTRA_CONNECTIONS
        for _, writer in streams:
            writer.transport.abort()
        await until("all are removed", lambda: not server.handshaking and not server.ip_limits._counts)
