"""Plain HTTP on the port of the WebSocket."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.pages import get
from tests.e2e.play import move, room_of
from tests.waiting import TIMEOUT_S

UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)
SAMPLE = re.compile(r'^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.eEinf]+$')


async def test_front_page_says_how_to_connect(start: Start) -> None:
    server = await start()
    _, text = await get(server.url, "/")
    assert "Parlour" in text
    assert server.url in text


async def test_server_is_healthy(start: Start) -> None:
    server = await start()
    assert await get(server.url, "/healthz") == (200, "ok\n")


@pytest.mark.parametrize(("path", "code"), [("/nothing", 404), ("/ws", 426)])
async def test_other_paths_are_refused(start: Start, path: str, code: int) -> None:
    server = await start()
    assert (await get(server.url, path))[0] == code


@pytest.mark.parametrize(
    ("request_line", "headers", "status", "text"),
    [
        ("GET / HTTP/1.1", "Host: a\r\nHost: b\r\n", "400 Bad Request", "one Host header"),
        ("GET /ws HTTP/1.1", f"Host: a\r\nOrigin: http://a\r\nOrigin: http://b\r\n{UPGRADE}", "400 Bad", "one Origin"),
        ("POST /healthz HTTP/1.1", "Host: a\r\nContent-Length: 0\r\n", "405 Method", "use GET or HEAD"),
        ("POST /ws HTTP/1.1", f"Host: a\r\n{UPGRADE}", "405 Method", "use GET or HEAD"),
        ("HEAD /healthz HTTP/1.1", "Host: a\r\n", "200 OK", ""),
    ],
)
async def test_unusual_requests(start: Start, request_line: str, headers: str, status: str, text: str) -> None:
    answer = await raw((await start()).url, f"{request_line}\r\n{headers}\r\n")
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status}")
    assert ("Allow: GET, HEAD" in head) == status.startswith("405")
    assert text in body
    assert len(body.splitlines()) == bool(text)


async def raw(url: str, request: str) -> str:
    """Send these bytes, and return the whole answer."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request.encode())
    answer = await asyncio.wait_for(reader.read(), TIMEOUT_S)
    writer.close()
    await writer.wait_closed()
    return answer.decode()


async def test_metrics_count_moves_refusals_and_rooms(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(sweep=1000.0)  # no periodic writes
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    await ann.refused("move", room=room, ply=1, move="a1")
    text = ""
    async with asyncio.timeout(TIMEOUT_S):  # presence is written without a reply
        while "parlour_store_queue_length 0\n" not in text:
            _, text = await get(server.url, "/metrics")
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(SAMPLE.match(line) for line in samples), samples
    for line in (
        "parlour_connections 2",
        "parlour_moves_total 1",
        'parlour_rooms{game="cohcoh",status="running"} 1',
        'parlour_refusals_total{code="not_your_turn"} 1',
    ):
        assert line in samples
    names = {line.split("{")[0].split(" ")[0] for line in samples}
    assert {"parlour_append_seconds_count", "parlour_loop_lag_seconds", "parlour_send_queue_bytes"} <= names


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
async def test_page_for_every_host_names_no_client(start: Start, connect_guest: ConnectGuest, path: str) -> None:
    """They are not covered by the check of the Host header, so a web page may read them by DNS rebinding."""
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("annabel", "benedict")]
    room = await room_of(ann, ben)
    private = await ann.ask("create", game="cohcoh", private=True)
    await ann.ask("say", room=room, text="a secret line")
    text = await raw(server.url, f"GET {path} HTTP/1.1\r\nHost: rebound.example\r\n\r\n")
    assert text.startswith("HTTP/1.1 200 OK")
    assert "access-control-allow" not in text.lower()
    for word in ("annabel", "benedict", room, private["room"], private["code"], "secret", "127.0.0.1"):
        assert word not in text


async def test_metrics_count_every_stored_event(start: Start, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    server = await start(sweep=1000.0)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    await ann.ask("resign", room=room)
    await ann.ask("rematch", room=room)
    await ben.ask("rematch", room=room)
    await ann.find(type="rematched")
    _, text = await get(server.url, "/metrics")
    with closing(sqlite3.connect(tmp_path / "parlour.db")) as store:
        (written,) = store.execute("SELECT count(*) FROM events").fetchone()
    assert f"parlour_events_total {written}\n" in text
