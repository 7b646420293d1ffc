"""The listening socket: address, TLS, and the warning about websockets."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from server.config import BadSetting
from server.transport import listener
from server.transport.listener import listen, url_of
from tests.server.transport.stub_server import StubServices, stub_server


async def test_url_has_host_and_port() -> None:
    services = StubServices(host="127.0.0.1")
    sockets = await listen(services)
    listener = next(iter(sockets.sockets))
    port = listener.getsockname()[1]
    assert url_of(services.settings, listener) == f"ws://127.0.0.1:{port}/ws"
    sockets.close()
    await sockets.wait_closed()


async def test_more_clients_than_the_default_backlog_of_asyncio_can_wait() -> None:
    """All of them connect while the server accepts none: the kernel keeps them."""
    waiting = 300
    services = StubServices(connections_per_address=1000)
    sockets = await listen(services)
    address = next(iter(sockets.sockets)).getsockname()
    clients = []
    try:
        for _ in range(waiting):  # the event loop does not run meanwhile
            clients.append(socket.create_connection(address, timeout=5))
        assert len(services.handshaking) == 0
    finally:
        for client in clients:
            client.close()
        sockets.close()
        await sockets.wait_closed()


async def test_file_that_is_not_a_certificate_is_a_bad_setting(tmp_path: Path) -> None:
    path = tmp_path / "cert.pem"
    path.write_text("not a certificate")
    with pytest.raises(BadSetting, match="PEM files"):
        await listen(StubServices(tls_cert=str(path), tls_key=str(path)))


@pytest.mark.parametrize("works", [True, False])
async def test_operator_is_warned_if_the_fast_path_does_not_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, works: bool
) -> None:
    monkeypatch.setattr(listener, "FAST_PATH_WORKS", works)
    async with stub_server():
        assert ("slow_path" in caplog.text) is not works
