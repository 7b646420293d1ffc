"""The life cycle of a connection: handshake, order of answers, timeouts, closing."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.server import ServerProtocol
from websockets.typing import Origin

from protocol.replies import Ok
from protocol.types import Player
from server.transport import fast_path
from server.transport.connection import Connection
from server.transport.fast_path import MAX_REQUEST_BYTES
from server.transport.ip_limits import EXTRA_CONNECTIONS
from server.vouchers import Voucher
from tests.e2e.faults import Unread
from tests.e2e.local_server import until
from tests.server.transport.raw_client import BINARY, PING, PONG, TEXT, RawClient, close_frame, command, frame
from tests.server.transport.stub_server import StubServices, stub_server

ANN = Player(id="p1", name="ann")


# -- handshake


@pytest.mark.parametrize(("codec", "opcode"), [("json", TEXT), ("msgpack", BINARY)])
async def test_subprotocol_selects_the_encoding(server: StubServices, codec: str, opcode: int) -> None:
    async with await RawClient.open(server.port, codec) as client:
        client.send(frame(opcode, command(1, codec=codec)))
        assert (await client.reply())["id"] == 1


@pytest.mark.parametrize(("codec", "opcode"), [("json", TEXT), ("msgpack", BINARY)])
async def test_without_a_subprotocol_the_first_message_selects_the_encoding(
    server: StubServices, codec: str, opcode: int
) -> None:
    async with await RawClient.open(server.port, codec, subprotocol=False) as client:
        client.send(frame(opcode, command(1, codec=codec)))
        assert (await client.reply())["id"] == 1


@pytest.mark.parametrize("origin", [b"", b"Origin: http://evil.example\r\n"], ids=["accepted", "refused"])
async def test_command_before_the_handshake_is_complete_is_not_dispatched(server: StubServices, origin: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + origin
        + b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n" + frame(TEXT, command(1))
    )  # fmt: skip
    closed = asyncio.create_task(reader.read())
    await until("the connection is closed", lambda: closed.done() or bool(server.commands))
    assert not server.commands
    with suppress(ConnectionResetError):
        await closed
    writer.close()
    await until("the connection is forgotten", lambda: not server.ip_limits._counts)
    assert not server.connections


async def test_request_with_too_many_bytes_is_not_read(server: StubServices) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        b"GET /healthz HTTP/1.1\r\n" + (b"X: " + b"x" * 995 + b"\r\n") * (MAX_REQUEST_BYTES // 1000 + 1) + b"\r\n"
    )
    with suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()
    assert server.metrics.turned_away["request"] == 1
    await until("the connection is forgotten", lambda: not server.ip_limits._counts and not server.handshaking)


async def test_request_with_long_cookies_is_answered(server: StubServices) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    cookies = b"Cookie: " + b"x" * 4000 + b"\r\n"
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n" + cookies * 3 + b"\r\n")
    assert (await reader.readline()).split()[1] == b"200"
    writer.close()


async def test_frames_behind_the_request_do_not_leave_a_count_for_a_forwarded_address() -> None:
    async with stub_server(connections_per_address=1, forwarded=True) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n" + frame(TEXT, command(1)))
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        await asyncio.sleep(0.01)  # the task of the handshake goes on after the connection is lost
        assert not server.ip_limits._counts


async def test_encoding_does_not_change_after_the_welcome(server: StubServices) -> None:
    async with await RawClient.open(server.port, "msgpack", subprotocol=False) as client:
        (await server.connection()).player = ANN
        client.send(frame(TEXT, command(1)))
        assert (await client.reply())["text"] == "text frame received: send msgpack in binary frames"


async def test_forwarded_address_counts_behind_a_proxy() -> None:
    async with stub_server(connections_per_address=1, forwarded=True) as server:
        url = f"ws://127.0.0.1:{server.port}/ws"
        headers = {"X-Forwarded-For": "6.6.6.6, 1.2.3.4"}
        async with connect(url, additional_headers=headers):
            assert set(server.ip_limits._counts) == {"1.2.3.4"}
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, additional_headers=headers)
            assert caught.value.response.status_code == 429
        await until("none is left", lambda: not server.ip_limits._counts)


async def test_vouched_address_counts_for_a_client_on_this_machine() -> None:
    async with stub_server(connections_per_address=1) as server:
        server.vouchers = {"signed": Voucher("192.0.2.7", "", 0, 0)}
        url = f"ws://127.0.0.1:{server.port}/ws"
        async with connect(url, additional_headers={"Parlour-Voucher": "signed"}):
            assert set(server.ip_limits._counts) == {"192.0.2.7"}
            async with connect(url, additional_headers={"Parlour-Voucher": "forged"}):
                assert set(server.ip_limits._counts) == {"192.0.2.7", "127.0.0.1"}
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, additional_headers={"Parlour-Voucher": "signed"})
            assert caught.value.response.status_code == 429
        await until("none is left", lambda: not server.ip_limits._counts)


async def test_connection_is_registered_from_the_handshake_to_the_end(server: StubServices) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    await until("it has no request yet", lambda: len(server.handshaking) == 1)
    writer.transport.abort()
    await until("it is removed", lambda: not server.handshaking)
    async with await RawClient.open(server.port):
        await server.connection()
        assert not server.handshaking
    await until("it is removed", lambda: not server.connections)
    del reader


async def test_latency_is_measured_at_once(server: StubServices) -> None:
    async with connect(f"ws://127.0.0.1:{server.port}/ws"):
        connection = await server.connection()
        await until("the first ping is answered", lambda: connection.latency > 0)


async def answer_late(client: RawClient, seconds: float) -> None:
    """Hold the pong to the first ping back."""
    ping = await client.receive(pings=True)
    assert ping.opcode == PING
    loop = asyncio.get_running_loop()
    due = loop.time() + seconds
    await until("the pong is late", lambda: loop.time() > due)
    client.send(frame(PONG, ping.payload))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the round trip of the kernel")
async def test_late_pong_does_not_stretch_the_latency(server: StubServices, client: RawClient) -> None:
    await answer_late(client, 0.6)
    connection = await server.connection()
    await until("the pong has arrived", lambda: connection.latency > 0)
    assert connection.latency < 0.5


async def test_late_pong_counts_up_to_a_limit_behind_a_proxy() -> None:
    async with stub_server(forwarded=True) as server, await RawClient.open(server.port) as client:
        await answer_late(client, 0.1)
        connection = await server.connection()
        await until("the pong has arrived", lambda: connection.latency > 0)
        assert connection.latency == fast_path.MAX_UNVERIFIED_LATENCY_S


# -- order


async def test_messages_wait_behind_a_command_that_takes_time(server: StubServices, client: RawClient) -> None:
    first, third = asyncio.Event(), asyncio.Event()
    server.slow = {1: wait(first), 3: wait(third)}
    client.send(b"".join(frame(TEXT, command(id)) for id in range(1, 6)))
    await until("the first command has begun", lambda: len(server.commands) == 1)
    third.set()
    assert await client.is_open()  # pings do not wait
    assert len(server.commands) == 1
    first.set()
    assert [(await client.reply())["id"] for _ in range(5)] == [1, 2, 3, 4, 5]
    assert (await server.connection()).pending is None


async def test_client_with_too_many_waiting_messages_is_disconnected(
    server: StubServices, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_path, "MAX_PENDING_MESSAGES", 3)
    first = asyncio.Event()
    server.slow = {1: wait(first)}
    client.send(b"".join(frame(TEXT, command(id)) for id in range(1, 6)))
    received = await client.receive()
    assert (received.close_code, received.payload[2:]) == (1008, b"too many messages at once")
    first.set()


async def test_command_that_fails_closes_the_connection_with_1011(
    server: StubServices, client: RawClient, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise ValueError("a bug")

    server.slow = {1: fail()}
    client.send(frame(TEXT, command(1)))
    received = await client.receive()
    assert (received.close_code, received.payload[2:]) == (1011, b"internal error")
    assert "a bug" in caplog.text


async def test_client_that_is_lost_during_a_command_is_removed_after_it(
    server: StubServices, client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command may have put the client into a room."""
    removed: list[Connection] = []
    monkeypatch.setattr(server, "disconnected", removed.append)
    first = asyncio.Event()
    server.slow = {1: wait(first)}
    client.send(frame(TEXT, command(1)))
    await until("the command has begun", lambda: len(server.commands) == 1)
    client.writer.transport.abort()
    await until("the connection is lost", lambda: len(removed) == 1)
    first.set()
    await until("the client is removed again", lambda: len(removed) == 2)


async def wait(event: asyncio.Event) -> None:
    await event.wait()


# -- timeouts


async def test_client_without_hello_times_out() -> None:
    async with stub_server(hello_timeout=10.0) as server, await RawClient.open(server.port):
        connection = await server.connection()
        assert connection.timeout_reason(100.0) is None
        assert connection.timeout_reason(110.0) is None
        assert connection.timeout_reason(110.1) == "no hello"


@pytest.mark.parametrize("reason", ["", "room", "events", "message"])
async def test_idle_client_times_out_unless_it_waits_for_something(reason: str) -> None:
    async with stub_server(idle_timeout=900.0) as server, await RawClient.open(server.port) as client:
        connection = await server.connection()
        connection.player = ANN
        assert connection.timeout_reason(1000.0) is None
        if reason == "room":
            connection.rooms["r"] = object()
        elif reason == "events":
            server.waits = True
        elif reason == "message":
            client.send(frame(TEXT, command(1)))
            await client.reply()
        assert connection.timeout_reason(1900.1) == (None if reason else "idle")


# -- closing


async def test_disconnected_client_gets_code_and_reason(server: StubServices, client: RawClient) -> None:
    connection = await server.connection()
    connection.cut(1008, "idle")
    connection.cut(1008, "a second time")
    received = await client.receive()
    assert (received.close_code, received.payload[2:]) == (1008, b"idle")
    client.send(close_frame(1008))
    assert await client.reader.read() == b""
    assert server.metrics.turned_away == {"idle": 1}


async def test_client_that_does_not_read_is_aborted() -> None:
    async with stub_server(send_buffer=1000) as server, await RawClient.open(server.port) as client:
        connection = await server.connection()
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        reply = Ok(id=1, text="x" * 100_000)
        for _ in range(1000):
            connection.send(reply)
            if server.metrics.turned_away["too slow"]:
                break
        await until("the connection is aborted", lambda: not server.connections)
        assert server.metrics.turned_away == {"too slow": 1}


async def test_client_that_does_not_read_compressed_messages_is_disconnected() -> None:
    async with stub_server(deflate=True, send_buffer=1000) as server:
        async with connect(f"ws://127.0.0.1:{server.port}/ws"):
            connection = await server.connection()
            connection.transport = Unread(connection.transport)  # type: ignore[assignment]
            connection.send(Ok(id=1))
        assert server.metrics.turned_away["too slow"] == 1


async def test_client_that_does_not_close_is_aborted(server: StubServices, client: RawClient) -> None:
    client.send(b"\x83\x80" + bytes(4))  # a reserved opcode
    assert (await client.receive()).close_code == 1002
    await until("the connection is aborted", lambda: not server.connections)


async def test_write_returns_the_unread_bytes(server: StubServices, client: RawClient) -> None:
    connection = await server.connection()
    assert connection.write(b"\x81\x02{}") == 0
    transport: Any = Unread(connection.transport)
    connection.transport = transport
    assert connection.write(b"\x81\x02{}") == transport.get_write_buffer_size() == connection.backlog()


async def test_write_after_the_end_is_ignored(server: StubServices, client: RawClient) -> None:
    connection = await server.connection()
    client.writer.transport.abort()
    await until("the connection is lost", lambda: not server.connections)
    assert connection.write(b"\x81\x02{}") == 0


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[WeakSet[Any]]:
    """Collect the connections in memory, and their protocols. The garbage collector does not run."""
    objects: WeakSet[Any] = WeakSet()
    for part in (Connection, ServerProtocol):

        def init(self: Any, *args: Any, old: Any = part.__init__, **options: Any) -> None:
            objects.add(self)
            old(self, *args, **options)

        monkeypatch.setattr(part, "__init__", init)
    gc.disable()
    yield objects
    gc.enable()


async def close_politely(client: RawClient) -> None:
    client.send(close_frame(1000))
    await client.close_code()


async def vanish(client: RawClient) -> None:
    client.writer.transport.abort()


async def stop_within_a_frame(client: RawClient) -> None:
    client.send(frame(TEXT, command(1))[:10])
    client.writer.write_eof()
    await client.reader.read()


async def break_the_protocol(client: RawClient) -> None:
    client.send(b"\x83\x80" + bytes(4))  # a reserved opcode
    await client.close_code()


@pytest.mark.parametrize("end", [close_politely, vanish, stop_within_a_frame, break_the_protocol])
async def test_lost_connection_is_freed_without_the_garbage_collector(
    server: StubServices, kept: WeakSet[Any], end: Callable[[RawClient], Awaitable[None]]
) -> None:
    """The collector runs so seldom that the memory of a server would grow with every client that leaves."""
    async with await RawClient.open(server.port) as client:
        client.send(frame(TEXT, command(1)))
        await client.reply()
        assert len(kept) == 2
        await end(client)
        await until("the memory is free", lambda: not kept)


@pytest.mark.parametrize("request_line", ["GET /healthz HTTP/1.1\r\nHost: a", "not HTTP", ""])
async def test_connection_without_a_websocket_is_freed_without_the_garbage_collector(
    server: StubServices, kept: WeakSet[Any], request_line: str
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"{request_line}\r\n\r\n".encode())
    await until("it is accepted", lambda: kept)
    writer.write_eof()
    await reader.read()
    writer.close()
    await writer.wait_closed()
    await until("the memory is free", lambda: not kept)


async def test_dropped_connection_is_freed_without_the_garbage_collector(kept: WeakSet[Any]) -> None:
    async with stub_server(connections_per_address=1) as server:
        server.ip_limits.add("127.0.0.1")
        for _ in range(EXTRA_CONNECTIONS):
            server.ip_limits.add("127.0.0.1")
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        assert server.metrics.turned_away["address"] == 1
        await until("the memory is free", lambda: not kept)


async def test_refused_handshakes_do_not_count_for_a_forwarded_address() -> None:
    async with stub_server(connections_per_address=1, forwarded=True) as server:
        url = f"ws://127.0.0.1:{server.port}/ws"
        headers = {"X-Forwarded-For": "1.2.3.4"}
        for _ in range(12):
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, additional_headers=headers, origin=Origin("http://evil.example"))
            assert caught.value.response.status_code == 403
        async with connect(url, additional_headers=headers):
            assert set(server.ip_limits._counts) == {"1.2.3.4"}
