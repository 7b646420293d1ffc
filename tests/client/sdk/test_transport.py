from __future__ import annotations

import asyncio
import errno
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from client.sdk.errors import NoServer
from client.sdk.transport import (
    ConnectionFailed,
    ConnectionRefused,
    Transport,
    error_text,
    open_transport,
    ssl_context,
)
from protocol.codec import JSON
from protocol.commands import List
from protocol.replies import Ok

Handler = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def server(handler: Handler, subprotocol: str = JSON.subprotocol, status: int = 0) -> AsyncIterator[str]:
    """Run a WebSocket server and yield its URL. `status`: answer with this HTTP status instead of a handshake."""

    def process_request(connection: ServerConnection, request: Request) -> Response | None:
        return connection.respond(HTTPStatus(status), "") if status else None

    listening = await serve(
        handler, "127.0.0.1", 0, subprotocols=[Subprotocol(subprotocol)], process_request=process_request
    )
    async with listening:
        yield f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/ws"


async def echo_ok(connection: ServerConnection) -> None:
    await connection.recv()
    await connection.send(JSON.encode(Ok(id=7)).decode())
    await connection.close(1000, "enough")


async def hang(connection: ServerConnection) -> None:
    await connection.wait_closed()


async def connected(url: str, idle_timeout: float = 5.0) -> None:
    async with open_transport(url, JSON, idle_timeout):
        pass


async def test_messages_are_sent_and_received() -> None:
    async with server(echo_ok) as url, open_transport(url, JSON, 5.0) as transport:
        await transport.send(List(id=7))
        assert [message async for message in transport.messages()] == [Ok(id=7)]
        assert transport.close_text == "the server closed the connection: enough"
        await transport.send(List(id=8))  # over a lost connection: no error


async def test_messages_of_unknown_types_are_ignored() -> None:
    async def newer(connection: ServerConnection) -> None:
        for kind in ("welcome_gift", "ok", "x" * 1000, "ok"):
            await connection.send(json.dumps({"type": kind, "id": 7}))
        await connection.close()

    async with server(newer) as url, open_transport(url, JSON, 5.0) as transport:
        assert await transport.receive() == Ok(id=7)
        assert [message async for message in transport.messages()] == [Ok(id=7)]


async def test_silent_server_fails_the_connection() -> None:
    async def receive(transport: Transport) -> None:
        await transport.receive()

    async with server(hang) as url:
        with pytest.raises(ConnectionFailed, match=f"no answer from {url}"):
            async with open_transport(url, JSON, 0.2) as transport:
                await receive(transport)


async def test_malformed_message_fails_the_connection() -> None:
    async def garbage(connection: ServerConnection) -> None:
        await connection.send("{")
        await connection.wait_closed()

    async with server(garbage) as url:
        with pytest.raises(ConnectionFailed, match="no connection to"):
            async with open_transport(url, JSON, 5.0) as transport:
                await transport.receive()


async def test_free_port_refuses_the_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefused, match="connection refused"):
            await connected(f"ws://127.0.0.1:{unused.getsockname()[1]}/ws")


async def test_wrong_addresses_are_explained() -> None:
    with pytest.raises(ConnectionFailed, match="; check the address"):
        await connected("ws://no-such-host.invalid/ws")
    async with server(hang) as url:
        with pytest.raises(ConnectionFailed, match="; if the server does not use TLS, write ws://"):
            await connected(url.replace("ws://", "wss://"))


@pytest.mark.parametrize(
    ("status", "error"), [(404, NoServer), (403, NoServer), (429, ConnectionFailed), (503, ConnectionFailed)]
)
async def test_http_errors_are_permanent_or_temporary(status: int, error: type[Exception]) -> None:
    async with server(hang, status=status) as url:
        with pytest.raises(error, match=f"HTTP status {status}"):
            await connected(url)


async def test_other_subprotocol_is_not_a_server() -> None:
    async with server(hang, subprotocol="chat") as url:
        with pytest.raises(NoServer, match="HTTP status 400"):
            await connected(url)


async def test_tls_server_is_suggested_when_the_answer_is_not_http() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"\x15\x03\x01\x00\x02\x02\x16")  # a TLS alert
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with listening:
        with pytest.raises(ConnectionFailed, match="if the server uses TLS, write wss://"):
            await connected(f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/ws")


def test_certificates_are_only_used_with_tls(tmp_path: Path) -> None:
    assert ssl_context("ws://example.org/ws", "cert.pem") is None
    assert ssl_context("wss://example.org/ws", "") is True
    (tmp_path / "cert.pem").write_text("nothing")
    for path in (tmp_path / "cert.pem", tmp_path / "missing.pem"):
        with pytest.raises(NoServer, match=r"is not a certificate file \(.*\): give one in PEM form"):
            ssl_context("wss://example.org/ws", str(path))


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.EHOSTUNREACH, "x"), "no route to host"),
        (socket.gaierror(-2, "Name or service not known"), "name or service not known"),
        (OSError("Multiple exceptions: [Errno 111] Connect call failed"), "connection refused"),
        (ValueError("odd"), "odd"),
        (ValueError(), "ValueError"),
    ],
)
def test_error_texts_have_no_numbers(error: Exception, text: str) -> None:
    assert error_text(error) == text


def test_error_text_of_tls_names_the_reason() -> None:
    error = ssl.SSLError()
    error.reason = "WRONG_VERSION_NUMBER"
    assert error_text(error) == "wrong version number"
