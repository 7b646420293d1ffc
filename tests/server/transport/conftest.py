"""A stub server, and what it reads."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from server.transport.connection import Connection
from server.transport.fast_path import FastPath
from tests.server.transport.raw_client import RawClient
from tests.server.transport.stub_server import StubServices, stub_server


@pytest.fixture
async def server() -> AsyncIterator[StubServices]:
    """Start a stub server without a rate limit."""
    async with stub_server() as services:
        yield services


@pytest.fixture
async def client(server: StubServices) -> AsyncIterator[RawClient]:
    """Connect a client that speaks JSON."""
    async with await RawClient.open(server.port) as client:
        yield client


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Collect what connections read from the transport, piece by piece. Request this fixture before `client`."""
    pieces: list[bytes] = []

    def data_received(self: Connection, data: bytes) -> None:
        FastPath.data_received(self, data)
        pieces.append(data)

    monkeypatch.setattr(Connection, "data_received", data_received)
    return pieces
