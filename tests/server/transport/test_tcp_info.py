"""The round trip of the kernel."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest

from server.transport.tcp_info import kernel_rtt_s
from tests.server.transport.raw_client import RawClient
from tests.server.transport.stub_server import StubServices


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
async def test_kernel_measures_the_round_trip_with_the_handshake(server: StubServices, client: RawClient) -> None:
    rtt_s = kernel_rtt_s((await server.connection()).transport)
    assert rtt_s is not None
    assert rtt_s > 0


def test_transport_without_a_socket_has_no_round_trip() -> None:
    assert kernel_rtt_s(asyncio.BaseTransport()) is None


def test_socket_that_is_not_tcp_has_no_round_trip() -> None:
    first, second = socket.socketpair()
    with first, second:
        assert kernel_rtt_s(asyncio.BaseTransport({"socket": first})) is None
