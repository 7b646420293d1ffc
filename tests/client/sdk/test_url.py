from __future__ import annotations

import pytest

from client.sdk.errors import NoServer
from client.sdk.url import is_local, room_url, websocket_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("localhost:8765", "ws://localhost:8765/ws"),
        ("example.org", "ws://example.org/ws"),
        ("http://example.org:80/", "ws://example.org:80/ws"),
        ("https://example.org/parlour/ws", "wss://example.org/parlour/ws"),
        (" ws://[::1]:9/ws ", "ws://[::1]:9/ws"),
    ],
)
def test_addresses_become_websocket_urls(text: str, url: str) -> None:
    assert websocket_url(text) == url


@pytest.mark.parametrize("text", ["", "ftp://x", "ws://", "host:port", "host:99999", "host:0", "a b", "ws://[::1"])
def test_invalid_addresses_are_rejected(text: str) -> None:
    with pytest.raises(NoServer, match="is not a server address: try something like ws://"):
        websocket_url(text)


def test_room_is_added_to_the_address() -> None:
    assert room_url("ws://example.org/ws", "") == "ws://example.org/ws"
    assert room_url("ws://example.org/ws", "r1") == "ws://example.org/ws?room=r1"
    assert room_url("wss://example.org/ws?key=1", "r/2") == "wss://example.org/ws?key=1&room=r%2F2"


@pytest.mark.parametrize(
    ("url", "local"),
    [("ws://localhost:1/ws", True), ("ws://[::1]/ws", True), ("wss://127.0.0.1/ws", True), ("ws://10.0.0.1/ws", False)],
)
def test_local_servers_are_recognised(url: str, local: bool) -> None:
    assert is_local(url) is local
