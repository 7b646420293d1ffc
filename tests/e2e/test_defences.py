"""Limits of a single connection, and malformed input."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from server.transport.connection import TIMER_MARGIN_S, Connection
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.local_server import until
from tests.e2e.play import move, room_of
from tests.waiting import TIMEOUT_S


def damaged_message(chance: random.Random, codec: str) -> Any:
    """Return a message with random damage."""
    good = {"type": chance.choice(["move", "create", "join", "hello"]), "id": 1, "room": "r", "ply": 0, "move": "a1"}
    kind = chance.randrange(6)
    if kind == 0:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(100)))
    if kind == 1:
        good[chance.choice(list(good))] = chance.choice([None, [], {}, -1, 1.5, "x" * 100, True])
        good["type"] = chance.choice(["nonsense", 5, good["type"]])
    data = json.dumps(good).encode() if codec == "json" else bytes(msgpack.packb(good))
    if kind == 2:
        return data[: chance.randrange(len(data))]
    if kind == 3:
        return data + b"\x00"
    if kind == 4:
        at = chance.randrange(len(data))
        return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
    return json.dumps([good] * 3).encode() if codec == "json" else b"\x91" * 200 + b"\xc0"


@pytest.mark.parametrize("codec", ["json", "msgpack"])
async def test_every_malformed_message_gets_a_reply_and_other_clients_notice_nothing(
    start: Start, connect_guest: ConnectGuest, codec: str
) -> None:
    server = await start(rate=1e6, burst=10_000)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    mallory = await connect_guest(server.url, "mallory", codec)
    chance, malformed = random.Random(5), 0
    for _ in range(1000):
        data = damaged_message(chance, codec)
        await mallory.socket.send(data, text=codec == "json" and chance.random() < 0.95)
        while (answer := await mallory.receive())["type"] not in ("ok", "error"):
            pass  # sometimes the damage leaves a valid command
        malformed += answer.get("code") == "malformed"
    assert malformed > 500
    assert (await mallory.ask("list"))["rooms"][-1]["room"] == room
    await move(ann, room, 0, "a1")


async def test_binary_frame_to_a_json_connection_is_malformed(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann", "json")
    await ann.socket.send(b"{}")
    assert "text frames" in (await ann.find(type="error", code="malformed"))["text"]


async def test_fragments_are_assembled(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann", "json")
    await ann.socket.send(['{"type": "li', 'st", "i', 'd": 77}'])
    assert (await ann.answer(77))["rooms"] == []


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 6, 7, 41, 42, 43, 48])
async def test_frames_may_arrive_in_pieces(start: Start, piece: int) -> None:
    """Also where a piece looks like a whole frame."""
    server = await start(rate=1e6, burst=100_000)
    host, port = server.url.removeprefix("ws://").removesuffix("/ws").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    payload = b"\x82\xa4type\xa5hello" + b"\xa2id" + b"\x01"
    payload = b"\x83" + payload[1:] + b"\xa4name\xd9\x0fan-unusual-name"
    tricky = b"\x82\xa4type\xa4list\xa2id\x02"
    tricky = b"\x83" + tricky[1:] + b"\xa1x\xd9" + bytes([42 - 19]) + b"y" * (42 - 19)
    frames = b"".join(bytes([0x82, 0x80 | len(data)]) + bytes(4) + data for data in [payload, tricky, tricky])
    frames += (
        bytes([0x82, 0x80 | 42]) + bytes(4) + b"\x82\xa4" + b"\x00" * 40
    )  # not a message, but it looks like a frame
    for at in range(0, len(frames), piece):
        writer.write(frames[at : at + piece])
        await writer.drain()
        await asyncio.sleep(0)
    answers: list[str] = []
    while len(answers) < 4:
        head = await asyncio.wait_for(reader.readexactly(2), TIMEOUT_S)
        size = head[1] if head[1] < 126 else int.from_bytes(await reader.readexactly(2), "big")
        data = await reader.readexactly(size)
        if head[0] == 0x82:  # not a ping
            answers.append(msgpack.unpackb(data)["type"])
    assert answers == ["welcome", "ok", "ok", "error"]
    writer.close()


async def test_latency_is_known_before_the_first_ping_interval(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(ping_interval=1000.0)
    await connect_guest(server.url, "ann")
    (peer,) = server.app.server.connections
    await until("the first ping is answered", lambda: peer.latency > 0)


async def test_long_message_is_refused_and_huge_message_closes_the_connection(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    await ann.send("list", padding="x" * 16_384)
    assert "the limit is 16384" in (await ann.find(type="error", code="malformed"))["text"]
    await ann.send("list", padding="x" * 1_000_000)
    assert await ann.closed() == 1009


async def test_message_over_the_rate_is_refused_and_flood_closes_the_connection(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start(rate=0.01, burst=5)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = (await ben.ask("create", game="cohcoh"))["room"]
    for _ in range(4):
        assert (await ann.refused("resign", room=room))["code"] == "not_seated"
    error = await ann.refused("resign", room=room)
    assert error["code"] == "rate_limited"
    assert 0 < error["retry_after"] <= 100 + TIMER_MARGIN_S
    for _ in range(30):
        await ann.send("list")
    assert await ann.closed() == 1008


async def test_weighty_commands_use_up_the_budget_and_moves_go_on(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(rate=0.01, burst=30)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    for _ in range(2):  # 15 messages each: part of the second one is owed
        await ben.ask("list")
    error = await ben.refused("list")
    assert error["code"] == "rate_limited"
    assert error["retry_after"] > 100
    assert (await ann.ask("move", room=room, ply=0, move="a1"))["seq"]


async def test_connections_per_address_are_limited_until_one_closes(start: Start) -> None:
    server = await start(connections_per_address=3)
    guests = [await Guest.open(server.url) for _ in range(3)]
    with pytest.raises(InvalidStatus) as caught:
        await Guest.open(server.url)
    assert caught.value.response.status_code == 429
    await guests.pop().close()
    async with asyncio.timeout(TIMEOUT_S):
        while len(guests) < 3:  # the server notices the close a moment later
            with suppress(InvalidStatus):
                guests.append(await Guest.open(server.url))
    for guest in guests:
        await guest.close()


async def test_address_comes_from_the_header_of_the_proxy(start: Start) -> None:
    server = await start(connections_per_address=1, forwarded=True)
    headers = {"X-Forwarded-For": "6.6.6.6, 1.2.3.4"}
    first = await Guest.open(server.url, additional_headers=headers)
    second = await Guest.open(server.url, additional_headers={"X-Forwarded-For": "6.6.6.6, 1.2.3.5"})
    with pytest.raises(InvalidStatus):
        await Guest.open(server.url, additional_headers=headers)
    await first.close()
    await second.close()


async def test_rooms_per_player_are_limited(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(rooms_per_player=2)
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    rooms = [(await ann.ask("create", game="conga"))["room"] for _ in range(2)]
    for type, terms in (("create", {"game": "conga"}), ("pair", {"game": "conga"})):
        assert (await ann.refused(type, **terms))["code"] == "too_many_rooms"
    other = (await ben.ask("create", game="conga"))["room"]
    assert (await ann.refused("join", room=other))["code"] == "too_many_rooms"
    await ann.ask("abort", room=rooms[0])
    await ann.ask("join", room=other)


async def test_names_and_chat_lines_are_limited(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(name_length=10, text_length=20)
    guest = await Guest.open(server.url)
    for name in ("x" * 11, "new\nline", "bell\a"):
        assert (await guest.refused("hello", name=name))["code"] == "bad_name"
    await guest.hello("fine")
    room = (await guest.ask("create", game="conga"))["room"]
    assert (await guest.refused("say", room=room, text="x" * 21))["code"] == "too_long"
    for text in ("", "  ", "a\x00b"):
        assert (await guest.refused("say", room=room, text=text))["code"] == "bad_request"
    assert (await guest.refused("create", game="conga", invite="x" * 50))["code"] == "bad_name"
    await guest.close()


async def test_control_characters_in_moves_and_notes_do_not_reach_other_clients(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben, illegal=3)
    refused = await ann.refused("move", room=room, ply=0, move="a1", note="\x1b[2J")
    assert (refused["code"], "printable" in refused["text"]) == ("bad_request", True)
    await ann.refused("move", room=room, ply=0, move="\x1b[2J\a1")
    await move(ann, room, 0, "a1", note="a thought")
    assert (await ben.find(type="fouled"))["move"] == "?[2J?1"


async def test_web_pages_of_other_origins_may_not_connect(start: Start) -> None:
    server = await start(origins="https://friend.example")
    host = server.url.removeprefix("ws://").removesuffix("/ws")
    for origin in ("https://friend.example", f"http://{host}"):
        await (await Guest.open(server.url, origin=Origin(origin))).close()
    with pytest.raises(InvalidStatus) as caught:
        await Guest.open(server.url, origin=Origin("https://evil.example"))
    assert caught.value.response.status_code == 403


async def test_unknown_subprotocol_is_refused_and_without_one_the_first_message_decides(start: Start) -> None:
    server = await start()
    with pytest.raises(InvalidStatus) as caught:
        await connect(server.url, subprotocols=[Subprotocol("chat")])
    assert caught.value.response.status_code == 400
    async with connect(server.url, compression=None) as plain:
        await plain.send(msgpack.packb({"type": "hello", "id": 1, "name": "plain"}))
        assert msgpack.unpackb(await plain.recv())["you"]["name"] == "plain"
        await plain.send("{}")
        assert msgpack.unpackb(await plain.recv())["text"] == "text frame received: send msgpack in binary frames"
    async with connect(server.url, compression=None) as browser:
        await browser.send("what is this?")
        assert json.loads(await browser.recv())["code"] == "malformed"
        await browser.send(json.dumps({"type": "hello", "id": 1, "name": "browser"}))
        assert json.loads(await browser.recv())["you"]["name"] == "browser"
        await browser.send(b"{}")
        assert json.loads(await browser.recv())["text"] == "binary frame received: send json in text frames"


async def test_client_without_hello_is_disconnected(start: Start) -> None:
    server = await start(hello_timeout=1.0)
    guest = await Guest.open(server.url)
    assert await guest.closed() == 1008


async def test_first_command_must_be_hello(start: Start) -> None:
    server = await start()
    guest = await Guest.open(server.url)
    assert (await guest.refused("list"))["code"] == "hello_first"
    await guest.close()


async def test_idle_client_is_disconnected_unless_it_waits_for_events(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()
    ann, looker = await connect_guest(server.url, "ann"), await connect_guest(server.url, "looker")
    room = (await ann.ask("create", game="conga"))["room"]
    await looker.ask("lobby", on=True)
    bot = await connect_guest(server.url, "bot", plays=["conga"])
    eve = await connect_guest(server.url, "eve")
    timeout_reason = Connection.timeout_reason

    def after_the_timeout(connection: Connection, now: float) -> str | None:
        connection.active = False
        return timeout_reason(connection, now + server.app.settings.idle_timeout + 1)

    monkeypatch.setattr(Connection, "timeout_reason", after_the_timeout)
    assert await eve.closed() == 1008
    assert (await ann.ask("say", room=room, text="still here"))["room"] == room
    for waiting in (looker, bot):
        await waiting.ask("list")


async def test_pipelined_commands_are_answered_in_order(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    guest = await Guest.open(server.url)
    ids = [await guest.send("hello", name="eager"), *[await guest.send("list") for _ in range(5)]]
    ids.append(await guest.send("create", game="conga", seat=0))
    answers = [await guest.answer(id) for id in ids]
    assert [answer["type"] for answer in answers] == ["welcome", *["ok"] * 6]
    await guest.close()


async def test_compression_is_off_by_default(start: Start) -> None:
    plain = await start()
    async with connect(plain.url, subprotocols=[Subprotocol("parlour.v1.json")]) as socket:
        assert "Sec-WebSocket-Extensions" not in socket.response.headers  # type: ignore[union-attr]


async def test_game_can_be_played_with_compression(start: Start) -> None:
    server = await start(deflate=True)
    guests = []
    for name in ("ann", "ben"):
        socket = await connect(server.url, subprotocols=[Subprotocol("parlour.v1.json")], compression="deflate")
        assert "permessage-deflate" in socket.response.headers["Sec-WebSocket-Extensions"]  # type: ignore[union-attr]
        guests.append(Guest(socket, "json"))
        await guests[-1].hello(name)
    room = await room_of(guests[0], guests[1])
    await move(guests[0], room, 0, "a1")
    await guests[1].find(type="moved")
    for guest in guests:
        await guest.close()
