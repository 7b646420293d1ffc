"""Plain HTTP on the port of the WebSocket."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.datastructures import Headers
from websockets.exceptions import InvalidStatus
from websockets.http11 import Request
from websockets.typing import Subprotocol

from server.transport.http import WEBSOCKET_PATH, HttpHandler
from tests.server.transport.stub_server import StubServices, stub_server
from tests.waiting import TIMEOUT_S

UPGRADE: dict[str, Any] = {"Upgrade": "websocket"}


def get(
    services: StubServices, path: str = "/", method: str = "GET", address_full: bool = False, **headers: Any
) -> tuple[int, str]:
    """Return status and body. 101 is the status of a request that may become a WebSocket."""
    request = Request(path, Headers({name.replace("_", "-"): value for name, value in headers.items()}), method=method)
    response = HttpHandler(services).respond(request, path.partition("?")[0], address_full)
    return (101, "") if response is None else (response.status_code, bytes(response.body).decode())


def test_front_page_says_how_to_connect() -> None:
    status, text = get(StubServices(), Host="games.example:8765")
    assert status == 200
    assert "parlour play GAME --url ws://games.example:8765/ws" in text
    assert "parlour.v1.msgpack or parlour.v1.json" in text
    assert "Conga" in text


def test_unknown_page_is_not_found() -> None:
    assert get(StubServices(), "/nothing")[0] == 404


def test_query_is_ignored() -> None:
    async def main() -> bytes:
        async with stub_server() as server:
            return await raw(server.port, b"GET /healthz?verbose HTTP/1.1\r\nHost: a\r\n\r\n")

    assert asyncio.run(main()).endswith(b"\r\n\r\nok\n")


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({}, 200, "ok\n"),
        ({"draining": True}, 503, "draining\n"),
        ({"store_error": "disk full"}, 503, "the store fails: disk full\n"),
    ],
)
def test_health_pages_show_the_status(changes: dict[str, Any], status: int, text: str) -> None:
    services = StubServices()
    for name, value in changes.items():
        setattr(services.status, name, value)
    assert get(services, "/healthz") == get(services, "/readyz") == (status, text)
    assert get(services, "/livez") == (200, "ok\n")


def test_metrics_have_gauges_and_rooms() -> None:
    status, text = get(StubServices(), "/metrics")
    assert status == 200
    assert "\nparlour_connections 0\n" in text
    assert '\nparlour_rooms{game="conga",status="running"} 2\n' in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "get"])
def test_other_methods_are_not_allowed(method: str) -> None:
    assert get(StubServices(), method=method) == (405, f"{method} is not allowed: use GET or HEAD\n")


def test_head_has_no_body() -> None:
    assert get(StubServices(), "/healthz", "HEAD") == (200, "")


@pytest.mark.parametrize("name", ["Host", "Origin"])
def test_repeated_header_is_refused(name: str) -> None:
    headers = Headers([(name, "a"), (name, "b")])
    response = HttpHandler(StubServices()).respond(Request("/", headers), "/")
    assert response is not None
    assert (response.status_code, response.body) == (
        400,
        f"several {name} headers: send only one {name} header\n".encode(),
    )


def test_websocket_needs_an_upgrade() -> None:
    assert get(StubServices(), WEBSOCKET_PATH)[0] == 426
    assert get(StubServices(), WEBSOCKET_PATH, **UPGRADE)[0] == 101


def test_no_websocket_is_opened_while_draining() -> None:
    services = StubServices()
    services.status.draining = True
    assert get(services, WEBSOCKET_PATH, **UPGRADE) == (503, "draining\n")


@pytest.mark.parametrize(
    ("origin", "allowed", "status"),
    [
        (None, "", 101),  # a program
        ("https://parlour.example", "", 101),  # our own page, behind a proxy
        ("http://evil.example", "", 403),
        ("http://evil.example", "https://friend.example", 403),
        ("https://friend.example", "https://other.example, https://friend.example", 101),
        ("http://evil.example", "*", 101),
    ],
)
def test_only_allowed_origins_may_connect(origin: str | None, allowed: str, status: int) -> None:
    services = StubServices(origins=allowed)
    headers: dict[str, Any] = {"Host": "parlour.example", **UPGRADE, **({} if origin is None else {"Origin": origin})}
    assert get(services, WEBSOCKET_PATH, **headers)[0] == status
    assert services.metrics.turned_away["origin"] == (status == 403)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8765", 101),
        ("192.168.1.20:8765", 101),  # an address cannot be rebound
        ("[::1]:8765", 101),
        ("[2001:db8::7]", 101),
        ("localhost:8765", 101),
        ("LOCALHOST", 101),
        ("parlour.localhost:8765", 101),
        (f"{socket.gethostname()}:8765", 101),
        (f"{socket.gethostname().partition('.')[0]}.local:8765", 101),  # multicast DNS
        ("games.example:8765", 101),
        ("board.example", 101),
        ("evil.example:8765", 403),
        ("127.0.0.1.evil.example", 403),
        ("evil.example:127.0.0.1", 403),
        ("notlocalhost", 403),
        ("games.example.evil.example", 403),
        ("", 403),
    ],
)
def test_page_under_a_name_that_is_not_ours_may_not_connect(host: str, status: int) -> None:
    """By DNS rebinding, a stranger's page has the same origin as this server."""
    services = StubServices(public_host="Games.example, board.example")
    page: dict[str, Any] = {"Host": host, "Origin": f"http://{host}"}
    got, text = get(services, WEBSOCKET_PATH, **page, **UPGRADE)
    assert got == status
    assert ("--public-host" in text) is (status == 403)
    assert get(services, WEBSOCKET_PATH, Host=host, **UPGRADE)[0] == 101  # a program, such as a bot


def test_name_that_the_server_listens_on_is_known() -> None:
    page: dict[str, Any] = {"Host": "games.lan:8765", "Origin": "http://games.lan:8765"}
    assert get(StubServices(host="games.lan"), WEBSOCKET_PATH, **page, **UPGRADE)[0] == 101
    assert get(StubServices(), WEBSOCKET_PATH, **page, **UPGRADE)[0] == 403


def test_address_with_too_many_connections_is_refused() -> None:
    services = StubServices()
    assert get(services, WEBSOCKET_PATH, **UPGRADE)[0] == 101
    assert get(services, WEBSOCKET_PATH, address_full=True, **UPGRADE)[0] == 429
    assert get(services, "/healthz", address_full=True)[0] == 429
    assert services.metrics.turned_away["address"] == 2


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["parlour.v1.json"], "parlour.v1.json"),
        (["chat", "parlour.v1.json", "parlour.v1.msgpack"], "parlour.v1.json"),
        (["parlour.v1.msgpack", "parlour.v1.json"], "parlour.v1.msgpack"),
        ([], None),
    ],
)
async def test_first_known_subprotocol_is_chosen(server: StubServices, offered: list[str], chosen: str | None) -> None:
    subprotocols = [Subprotocol(name) for name in offered]
    async with connect(f"ws://127.0.0.1:{server.port}/ws", subprotocols=subprotocols or None) as socket:
        assert socket.subprotocol == chosen


async def test_unknown_subprotocols_are_refused_with_400(server: StubServices) -> None:
    with pytest.raises(InvalidStatus) as caught:
        await connect(f"ws://127.0.0.1:{server.port}/ws", subprotocols=[Subprotocol("chat")])
    assert caught.value.response.status_code == 400


async def raw(port: int, request: bytes) -> bytes:
    """Return all that a server answers to these bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await asyncio.wait_for(reader.read(), TIMEOUT_S)
    writer.close()
    return answer
