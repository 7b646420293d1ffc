"""Frames over real sockets: which take the fast path, and what RFC 6455 requires of all of them."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sys
from collections.abc import Generator
from itertools import product
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection
from websockets.server import ServerProtocol
from websockets.streams import StreamReader
from websockets.typing import Subprotocol

from protocol.codec import MAX_MESSAGE_BYTES
from protocol.replies import Ok
from server.transport import fast_path, listener
from server.transport.fast_path import (
    FAST_PATH_WORKS,
    MAX_UNVERIFIED_LATENCY_S,
    check_internals,
    credited_latency,
    kernel_rtt_s,
)
from tests.server.transport.raw_client import (
    BINARY,
    CLOSE,
    CONT,
    PING,
    PONG,
    TEXT,
    ZERO_MASK,
    Frame,
    RawClient,
    close_frame,
    command,
    frame,
)
from tests.server.transport.stub_server import StubServices, stub_server
from tests.waiting import settle

CODECS = ("json", "msgpack")
LARGE_FRAME_BYTES = 100_000
PROTOCOL_ERROR, INVALID_DATA, TOO_BIG = 1002, 1007, 1009  # close codes
UMLAUTS = json.dumps({"type": "list", "id": 7, "x": "ä€𝄞"}, ensure_ascii=False).encode()  # 2, 3 and 4 bytes


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Collect what the parser of websockets gets. Request this fixture before `client`."""
    pieces: list[bytes] = []
    receive_data = ServerProtocol.receive_data

    def spy(self: ServerProtocol, data: bytes) -> None:
        pieces.append(bytes(data))
        receive_data(self, data)

    monkeypatch.setattr(ServerProtocol, "receive_data", spy)
    return pieces


@pytest.fixture
def large_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server read frames that are too large for a message. Request this fixture before `server`."""
    monkeypatch.setattr(listener, "MAX_FRAME_BYTES", LARGE_FRAME_BYTES)


# -- the canary: which frames take the fast path


def test_installed_websockets_has_the_internals_of_the_fast_path() -> None:
    assert FAST_PATH_WORKS, "this release of websockets needs changes in server/transport/fast_path.py"


@pytest.mark.parametrize("codec", CODECS)
async def test_short_frames_bypass_the_parser(parsed: list[bytes], server: StubServices, codec: str) -> None:
    async with await RawClient.open(server.port, codec) as client:
        client.send(frame(client.opcode, command(1, codec=codec)))  # the first message after the handshake
        await client.reply()
        parsed.clear()
        for size in range(30, 126):
            client.send(frame(client.opcode, command(size, size, codec)))
            assert (await client.reply())["id"] == size
        assert parsed == []
        client.send(frame(client.opcode, command(200, 126, codec)))  # a longer one does not
        assert (await client.reply())["id"] == 200
        assert len(parsed) == 1


@pytest.mark.parametrize("codec", CODECS)
async def test_frames_of_an_ordinary_client_bypass_the_parser(
    parsed: list[bytes], server: StubServices, codec: str
) -> None:
    """A client that answers the server's pings needs the parser for the first message and for the pong only."""
    subprotocol = Subprotocol(f"parlour.v1.{codec}")
    async with connect(f"ws://127.0.0.1:{server.port}/ws", subprotocols=[subprotocol], compression=None) as socket:
        await socket.send(command(1, codec=codec), text=codec == "json")
        await socket.recv()
        await (await socket.ping())
        parsed.clear()
        for id in range(100):
            await socket.send(command(id, codec=codec), text=codec == "json")
            await socket.recv()
        assert parsed == []


@pytest.mark.parametrize(
    "detour",
    [
        frame(PING, b"x"),
        frame(TEXT, command(5, 300)),
        frame(TEXT, command(5)) * 2,
        frame(TEXT, command(5)[:9], fin=False) + frame(CONT, command(5)[9:]),
    ],
    ids=["ping", "long frame", "two frames", "fragments"],
)
async def test_fast_path_is_taken_again_after_other_frames(
    parsed: list[bytes], client: RawClient, detour: bytes
) -> None:
    client.send(detour + frame(PING, b"the end"))
    while await client.receive() != Frame(PONG, b"the end"):
        pass
    parsed.clear()
    client.send(frame(TEXT, command(1)))
    while (await client.reply())["id"] != 1:  # replies to the detour may come after the pong
        pass
    assert parsed == []


@pytest.mark.parametrize(
    "name", ["connection_lost", "connection_made", "data_received", "process_event", "send", "send_data"]
)
def test_websockets_has_the_methods_that_are_overridden(name: str) -> None:
    assert callable(getattr(ServerConnection, name))


async def test_websockets_has_the_attributes_that_are_read(server: StubServices, client: RawClient) -> None:
    plain = ServerConnection(ServerProtocol(), None)  # type: ignore[arg-type]
    for name in ("connection_lost_waiter", "latency", "loop", "paused", "pending_pings", "protocol", "request"):
        assert hasattr(plain, name), name


# -- a release of websockets with other internals


@pytest.mark.parametrize("name", ["current_size", "extensions", "parser", "reader", "state"])
def test_missing_attribute_is_detected(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    class Renamed(ServerProtocol):
        def __getattribute__(self, asked: str) -> Any:
            if asked == name:
                raise AttributeError(asked)
            return super().__getattribute__(asked)

    monkeypatch.setattr(fast_path, "ServerProtocol", Renamed)
    assert not check_internals()


def test_renamed_generator_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_at_end(self: StreamReader) -> Generator[None, None, bool]:
        while not self.buffer and not self.eof:
            yield
        return not self.buffer

    monkeypatch.setattr(StreamReader, "at_eof", is_at_end)
    assert not check_internals()


def test_parser_that_reads_ahead_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fragments that are not visible in `current_size` would be taken for whole messages."""

    class Forgetful(ServerProtocol):
        def recv_frame(self, frame: Any) -> None:
            super().recv_frame(frame)
            if not frame.fin:
                self.current_size = None

    monkeypatch.setattr(fast_path, "ServerProtocol", Forgetful)
    assert not check_internals()


async def test_server_works_without_the_fast_path(monkeypatch: pytest.MonkeyPatch, parsed: list[bytes]) -> None:
    monkeypatch.setattr(fast_path, "FAST_PATH_WORKS", False)
    async with stub_server() as server, await RawClient.open(server.port) as client:
        parsed.clear()
        for id in range(20):
            client.send(frame(TEXT, command(id)))
            assert await client.reply() == {"type": "ok", "id": id}
        assert len(parsed) == 20


# -- lengths


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    ("size", "length_bytes"),
    [(30, 0), (125, 0), *product((30, 125, 126, 127, 1000, MAX_MESSAGE_BYTES), (2, 8))],
)
async def test_lengths_are_read_in_every_form(server: StubServices, codec: str, size: int, length_bytes: int) -> None:
    """Also where a shorter form exists."""
    async with await RawClient.open(server.port, codec) as client:
        for id in (1, 2):  # the second after the fast path may have begun
            client.send(frame(client.opcode, command(id, size, codec), length_bytes=length_bytes))
            assert (await client.reply())["id"] == id


@pytest.mark.parametrize("length_bytes", [0, 2, 8])
async def test_empty_message_is_malformed(client: RawClient, length_bytes: int) -> None:
    for _ in range(2):
        client.send(frame(TEXT, b"", length_bytes=length_bytes))
        error = await client.reply()
        assert (error["code"], error["id"]) == ("malformed", None)
    assert await client.is_open()


@pytest.mark.parametrize(("size", "length_bytes"), [(65535, 2), (65535, 8), (65536, 8)])
@pytest.mark.usefixtures("large_frames")
async def test_large_frames_are_read_whole(client: RawClient, size: int, length_bytes: int) -> None:
    client.send(frame(TEXT, command(1, size), length_bytes=length_bytes))
    error = await client.reply()
    assert (error["code"], error["id"]) == ("malformed", 1)
    assert str(size) in error["text"]
    assert await client.is_open()


@pytest.mark.parametrize(("size", "length_bytes"), [(MAX_MESSAGE_BYTES + 513, 2), (65535, 2), (65536, 8), (2**40, 8)])
async def test_message_too_big_is_closed_with_1009(client: RawClient, size: int, length_bytes: int) -> None:
    """The server does not wait for the payload."""
    client.send(bytes((0x81, 0x80 | (126 if length_bytes == 2 else 127))) + size.to_bytes(length_bytes, "big"))
    assert await client.close_code() == TOO_BIG


async def test_fragments_that_are_too_big_together_are_closed_with_1009(client: RawClient) -> None:
    client.send(frame(TEXT, bytes(10_000), fin=False) + frame(CONT, bytes(10_000)))
    assert await client.close_code() == TOO_BIG


async def test_message_a_little_too_big_is_refused(client: RawClient) -> None:
    client.send(frame(TEXT, command(3, MAX_MESSAGE_BYTES + 512)))
    error = await client.reply()
    assert (error["code"], error["id"]) == ("malformed", 3)
    assert await client.is_open()


@pytest.mark.parametrize("size", [0, 125, 126, 65535, 65536])
@pytest.mark.parametrize("codec", CODECS)
async def test_server_sends_every_length(server: StubServices, codec: str, size: int) -> None:
    subprotocol = Subprotocol(f"parlour.v1.{codec}")
    async with connect(f"ws://127.0.0.1:{server.port}/ws", subprotocols=[subprotocol], max_size=None) as socket:
        connection = await server.connection()
        reply = Ok(id=1, text="x" * size)
        connection.send(reply)
        data = await socket.recv()
        assert (data.encode() if isinstance(data, str) else data) == connection.codec.encode(reply)


# -- masks


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("size", [30, 125, 126, 1000])
async def test_every_mask_is_removed(server: StubServices, codec: str, size: int) -> None:
    masks = [ZERO_MASK, b"\xff" * 4, b"\x00\x00\x00\x01", *(random.Random(size).randbytes(4) for _ in range(20))]
    async with await RawClient.open(server.port, codec) as client:
        for id, mask in enumerate(masks):
            client.send(frame(client.opcode, command(id, size, codec), mask=mask))
            assert (await client.reply())["id"] == id


@pytest.mark.parametrize("opcode", [TEXT, BINARY, PING, CLOSE])
@pytest.mark.parametrize("fast", [False, True])
async def test_unmasked_frame_is_closed_with_1002(client: RawClient, opcode: int, fast: bool) -> None:
    if fast:
        client.send(frame(TEXT, command(1)))
        await client.reply()
    client.send(frame(opcode, b"" if opcode == CLOSE else command(2), mask=None))
    assert await client.close_code() == PROTOCOL_ERROR


async def test_unmasked_frame_as_long_as_a_masked_one_is_closed_with_1002(client: RawClient) -> None:
    """Its length is one that the fast path expects; only the bit of the mask is missing."""
    client.send(frame(TEXT, command(1)))
    await client.reply()
    data = frame(TEXT, command(2))
    client.send(bytes((data[0], data[1] & 0x7F)) + data[2:])
    assert await client.close_code() == PROTOCOL_ERROR


# -- fragments


async def test_fragments_are_assembled(client: RawClient) -> None:
    data = command(1)
    for cut in range(len(data) + 1):  # also with an empty fragment
        client.send(frame(TEXT, data[:cut], fin=False) + frame(CONT, data[cut:]))
        assert (await client.reply())["id"] == 1


async def test_control_frames_between_fragments_are_answered_at_once(client: RawClient) -> None:
    data = command(1)
    client.send(frame(TEXT, data[:4], fin=False) + frame(PING, b"one"))
    assert await client.receive() == Frame(PONG, b"one")
    client.send(frame(CONT, data[4:9], fin=False) + frame(PONG, b"unasked") + frame(PING, b"two"))
    assert await client.receive() == Frame(PONG, b"two")
    client.send(frame(CONT, data[9:]))
    assert (await client.reply())["id"] == 1


async def test_stream_may_be_split_anywhere(read: list[bytes], client: RawClient) -> None:
    """Whole messages, fragments and pings, in two TCP segments for every place to split them."""
    data = command(2)
    stream = (
        frame(TEXT, command(1))
        + frame(TEXT, data[:5], fin=False)
        + frame(PING, b"hi")
        + frame(CONT, data[5:11], fin=False)
        + frame(CONT, data[11:])
        + frame(TEXT, command(3, 126))
        + frame(TEXT, command(4))
    )
    for at in range(1, len(stream)):
        await client.send_pieces([stream[:at], stream[at:]], read)
        replies = [await client.receive() for _ in range(5)]
        pongs = [reply for reply in replies if reply.opcode == PONG]
        assert pongs == [Frame(PONG, b"hi")]
        ids = [json.loads(reply.payload)["id"] for reply in replies if reply.opcode == TEXT]
        assert ids == [1, 2, 3, 4], at


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_stream_may_arrive_in_small_pieces(read: list[bytes], client: RawClient, size: int) -> None:
    data = command(1)
    stream = frame(TEXT, data[:5], fin=False) + frame(PING, b"hi") + frame(CONT, data[5:]) + frame(TEXT, command(2))
    await client.send_pieces([stream[at : at + size] for at in range(0, len(stream), size)], read)
    assert await client.receive() == Frame(PONG, b"hi")
    assert [(await client.reply())["id"] for _ in range(2)] == [1, 2]


async def test_payload_that_looks_like_a_frame_is_not_one(read: list[bytes], client: RawClient) -> None:
    """The second TCP segment is exactly a short frame, inside the payload of a longer one."""
    client.send(frame(TEXT, command(1)))
    await client.reply()
    inner = frame(TEXT, command(99), mask=ZERO_MASK)
    outer = frame(TEXT, inner, mask=ZERO_MASK)
    await client.send_pieces([outer[:6], outer[6:]], read)
    assert (await client.reply())["code"] == "malformed"
    assert await client.is_open()


@pytest.mark.parametrize("length_bytes", [2, 8])
async def test_first_piece_of_a_long_frame_is_not_a_short_frame(
    read: list[bytes], client: RawClient, length_bytes: int
) -> None:
    """The second byte, 126 or 127, is the form of the length, and happens to match the size of the piece."""
    client.send(frame(TEXT, command(1)))
    await client.reply()
    data = frame(TEXT, command(2, 300), length_bytes=length_bytes)
    piece = 6 + (data[1] & 0x7F)
    await client.send_pieces([data[:piece], data[piece:]], read)
    assert (await client.reply())["id"] == 2


async def test_whole_message_between_fragments_is_closed_with_1002(client: RawClient) -> None:
    client.send(frame(TEXT, command(1)))
    await client.reply()
    client.send(frame(TEXT, b"{", fin=False))
    assert await client.is_open()
    client.send(frame(TEXT, command(2)))
    assert await client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("fin", [False, True])
async def test_continuation_without_a_start_is_closed_with_1002(client: RawClient, fin: bool) -> None:
    client.send(frame(CONT, command(1), fin=fin))
    assert await client.close_code() == PROTOCOL_ERROR


async def test_close_between_fragments_is_closed_with_1002(client: RawClient) -> None:
    client.send(frame(TEXT, b"{", fin=False) + close_frame(1000))
    assert await client.close_code() == PROTOCOL_ERROR


async def test_too_many_fragments_are_closed_with_1008(client: RawClient) -> None:
    client.send(frame(TEXT, fin=False) + frame(CONT, fin=False) * fast_path.MAX_FRAGMENTS)
    assert await client.close_code() == fast_path.POLICY_VIOLATION


async def test_several_frames_in_one_segment_are_answered_in_order(client: RawClient) -> None:
    client.send(b"".join(frame(TEXT, command(id)) for id in range(50)))
    assert [(await client.reply())["id"] for _ in range(50)] == list(range(50))


async def test_frames_are_read_although_one_is_split(read: list[bytes], client: RawClient) -> None:
    first, second, third = (frame(TEXT, command(id)) for id in (1, 2, 3))
    await client.send_pieces([first + second[:10], second[10:] + third], read)
    assert [(await client.reply())["id"] for _ in range(3)] == [1, 2, 3]


# -- text and binary


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("fragmented", [False, True])
async def test_frame_of_the_wrong_type_is_malformed(server: StubServices, codec: str, fragmented: bool) -> None:
    async with await RawClient.open(server.port, codec) as client:
        wrong, data = (BINARY if codec == "json" else TEXT), command(1, codec=codec)
        for _ in range(2):
            client.send(frame(wrong, data[:5], fin=False) + frame(CONT, data[5:]) if fragmented else frame(wrong, data))
            error = await client.reply()
            kinds = {"json": ("binary", "text"), "msgpack": ("text", "binary")}[codec]
            assert error["code"] == "malformed"
            assert error["text"] == f"{kinds[0]} frame received: send {codec} in {kinds[1]} frames"
        client.send(frame(client.opcode, data))
        assert (await client.reply())["id"] == 1


async def test_utf8_may_be_split_over_fragments(client: RawClient) -> None:
    for cut in range(1, len(UMLAUTS)):
        client.send(frame(TEXT, UMLAUTS[:cut], fin=False) + frame(CONT, UMLAUTS[cut:]))
        assert (await client.reply())["id"] == 7


@pytest.mark.parametrize(
    "text",
    [b"\xff", b"\xc3(", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"],
    ids=["byte", "sequence", "overlong", "surrogate", "too high", "incomplete"],
)
@pytest.mark.parametrize("fragmented", [False, True])
async def test_invalid_utf8_is_malformed(client: RawClient, text: bytes, fragmented: bool) -> None:
    """docs/protocol.md: a broken encoding is `malformed`. The connection stays open; it is not closed with 1007."""
    data = b'{"type": "list", "id": 1, "x": "' + text + b'"}'
    for _ in range(2):
        client.send(frame(TEXT, data[:33], fin=False) + frame(CONT, data[33:]) if fragmented else frame(TEXT, data))
        assert (await client.reply())["code"] == "malformed"
    assert await client.is_open()


# -- reserved bits and opcodes


@pytest.mark.parametrize("opcode", [TEXT, BINARY, PING])
@pytest.mark.parametrize("reserved", [0x40, 0x20, 0x10, 0x70])
@pytest.mark.parametrize("fast", [False, True])
async def test_reserved_bit_is_closed_with_1002(client: RawClient, opcode: int, reserved: int, fast: bool) -> None:
    if fast:
        client.send(frame(TEXT, command(1)))
        await client.reply()
    client.send(frame(opcode, command(2), reserved=reserved))
    assert await client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("opcode", [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF])
@pytest.mark.parametrize("fast", [False, True])
async def test_reserved_opcode_is_closed_with_1002(client: RawClient, opcode: int, fast: bool) -> None:
    if fast:
        client.send(frame(TEXT, command(1)))
        await client.reply()
    client.send(frame(opcode, b"x"))
    assert await client.close_code() == PROTOCOL_ERROR


# -- control frames


@pytest.mark.parametrize("size", [0, 1, 50, 125])
async def test_pong_has_the_payload_of_the_ping(client: RawClient, size: int) -> None:
    payload = random.Random(size).randbytes(size)
    client.send(frame(PING, payload))
    assert await client.receive() == Frame(PONG, payload)


async def test_server_pings_at_once(client: RawClient) -> None:
    ping = await client.receive(pings=True)
    assert ping.opcode == PING
    client.send(frame(PONG, ping.payload))
    assert await client.is_open()


async def test_pong_without_a_ping_is_ignored(client: RawClient) -> None:
    client.send(frame(PONG, b"unasked") + frame(PONG))
    client.send(frame(TEXT, command(1)))
    assert (await client.reply())["id"] == 1


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
async def test_long_control_frame_is_closed_with_1002(client: RawClient, opcode: int) -> None:
    client.send(frame(opcode, b"\x03\xe8" + b"x" * 124))
    assert await client.close_code() == PROTOCOL_ERROR


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
async def test_fragmented_control_frame_is_closed_with_1002(client: RawClient, opcode: int) -> None:
    client.send(frame(opcode, b"\x03\xe8", fin=False))
    assert await client.close_code() == PROTOCOL_ERROR


# -- closing


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, *range(1007, 1015), 3000, 3999, 4000, 4999])
@pytest.mark.parametrize("reason", [b"", b"bye", "\N{SNOWMAN}".encode() * 41], ids=["none", "short", "longest"])
async def test_valid_close_code_is_echoed(client: RawClient, code: int, reason: bytes) -> None:
    client.send(close_frame(code, reason))
    assert await client.receive() == Frame(CLOSE, code.to_bytes(2, "big") + reason)
    assert await client.reader.read() == b""


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
async def test_invalid_close_code_is_closed_with_1002(client: RawClient, code: int) -> None:
    client.send(close_frame(code))
    assert await client.close_code() == PROTOCOL_ERROR


async def test_empty_close_frame_is_echoed(client: RawClient) -> None:
    client.send(frame(CLOSE))
    assert await client.receive() == Frame(CLOSE, b"")
    assert await client.reader.read() == b""


async def test_close_frame_of_one_byte_is_closed_with_1002(client: RawClient) -> None:
    client.send(frame(CLOSE, b"\x03"))
    assert await client.close_code() == PROTOCOL_ERROR


async def test_close_reason_that_is_not_utf8_is_closed_with_1007(client: RawClient) -> None:
    client.send(close_frame(1000, b"\xff\xfe"))
    assert await client.close_code() == INVALID_DATA


@pytest.mark.parametrize("one_segment", [False, True])
async def test_messages_after_a_close_frame_are_ignored(
    server: StubServices, client: RawClient, one_segment: bool
) -> None:
    client.send(frame(TEXT, command(1)))
    await client.reply()
    pieces = [close_frame(1000), frame(TEXT, command(2))]
    for piece in [b"".join(pieces)] if one_segment else pieces:
        client.send(piece)
    assert await client.close_code() == 1000
    assert [received.id for received in server.commands] == [1]


async def test_nothing_is_sent_after_a_close_frame(server: StubServices, client: RawClient) -> None:
    connection = await server.connection()
    connection.cut(1008, "enough")
    await asyncio.sleep(0)
    connection.send(Ok(id=1))
    received = await client.receive()
    assert (received.close_code, received.payload[2:]) == (1008, b"enough")
    client.send(close_frame(1008))
    assert await client.reader.read() == b""


# -- all of it, at random, against the parser of websockets


def random_stream(chance: random.Random) -> bytes:
    """Return frames that are mostly valid; a ping at the end asks for a last answer."""
    stream = b""
    for id in range(chance.randrange(1, 12)):
        data = command(id, chance.choice([0, 40, 125, 126, 500]))
        kind = chance.random()
        if kind < 0.6:
            stream += frame(TEXT, data, mask=chance.randbytes(4))
        elif kind < 0.75:
            cut = chance.randrange(len(data))
            stream += frame(TEXT, data[:cut], fin=False) + frame(PING, b"p") + frame(CONT, data[cut:])
        elif kind < 0.85:
            stream += frame(PING, chance.randbytes(chance.randrange(126)))
        elif kind < 0.97:
            stream += frame(chance.choice([TEXT, BINARY]), chance.randbytes(chance.randrange(126)))
        else:
            stream += chance.randbytes(chance.randrange(1, 30))
    return stream + frame(PING, b"the end")


async def outcome(port: int, pieces: list[bytes], read: list[bytes]) -> list[Frame]:
    """Return all frames of the server up to the answer to the last ping, or up to the close."""
    frames: list[Frame] = []
    async with await RawClient.open(port) as client:
        await client.send_pieces(pieces, read)
        while not frames or (frames[-1].opcode != CLOSE and frames[-1] != Frame(PONG, b"the end")):
            receiving = asyncio.create_task(client.receive())
            await settle()  # the server is in this event loop, and needs no time to answer
            if not receiving.done():  # it waits for the rest of a frame
                receiving.cancel()
                break
            try:
                frames.append(await receiving)
            except (asyncio.IncompleteReadError, ConnectionError):
                break
    return frames


@pytest.mark.parametrize("seed", range(40))
async def test_random_streams_have_the_same_outcome_without_the_fast_path(
    read: list[bytes], server: StubServices, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    stream, pieces = random_stream(chance), []
    while stream:
        size = chance.choice([1, 6, 20, 46, 131, 500])
        pieces.append(stream[:size])
        stream = stream[size:]
    fast = await outcome(server.port, pieces, read)
    monkeypatch.setattr(fast_path, "FAST_PATH_WORKS", False)
    assert fast == await outcome(server.port, pieces, read)


# -- the round trip of the kernel


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


def test_shorter_measurement_of_the_round_trip_is_credited() -> None:
    assert credited_latency(0.2, 0.1) == 0.1
    assert credited_latency(0.1, 0.2) == 0.1


def test_pong_alone_is_credited_up_to_a_limit() -> None:
    assert credited_latency(0.01, None) == 0.01
    assert credited_latency(6.0, None) == MAX_UNVERIFIED_LATENCY_S
