"""The rate limit of a connection."""

from __future__ import annotations

import asyncio

import pytest

from protocol.weights import BYTES_PER_MESSAGE, UNWEIGHED_BYTES
from server.transport.connection import MAX_DEBT_S, TIMER_MARGIN_S, Connection
from server.transport.rate_limit import RateLimit
from tests.server.domain.helpers import ANN
from tests.server.transport.raw_client import CONT, PING, PONG, TEXT, Frame, RawClient, command, frame
from tests.server.transport.stub_server import stub_server
from tests.waiting import until


def is_refused(connection: Connection, weight: int) -> bool:
    """Charge for a command of this weight. Return whether it is refused."""
    refused_s, _ = connection.charge(weight)
    return refused_s > 0.0


def test_bucket_is_refilled_up_to_the_burst() -> None:
    limit = RateLimit(rate=2.0, burst=3.0, now=10.0)
    limit.tokens = 0.0
    assert not limit.refilled(10.4)
    assert limit.refilled(10.5)
    assert limit.refilled(100.0)
    assert limit.tokens == 3.0


def test_two_bursts_of_refused_frames_are_a_flood() -> None:
    limit = RateLimit(rate=1.0, burst=5.0, now=0.0)
    assert [limit.refuse() for _ in range(11)] == [False] * 10 + [True]


async def test_messages_over_the_rate_are_refused() -> None:
    async with stub_server(rate=0.5, burst=3) as server, await RawClient.open(server.port) as client:
        for id in range(4):
            client.send(frame(TEXT, command(id)))
        assert [(await client.reply())["type"] for _ in range(3)] == ["ok"] * 3
        error = await client.reply()
        assert (error["id"], error["code"]) == (3, "rate_limited")
        assert error["text"] == "too many messages: send at most 0.5 per second"
        assert TIMER_MARGIN_S < error["retry_after"] <= 2 + TIMER_MARGIN_S
        assert len(server.commands) == 3
        assert server.metrics.refusals["rate_limited"] == 1


async def test_refused_message_may_be_sent_again_after_a_while() -> None:
    async with stub_server(rate=20.0, burst=1) as server, await RawClient.open(server.port) as client:
        client.send(frame(TEXT, command(1)) * 2)
        assert (await client.reply())["type"] == "ok"
        await asyncio.sleep((await client.reply())["retry_after"])
        client.send(frame(TEXT, command(2)))
        assert await client.reply() == {"type": "ok", "id": 2}


async def test_flood_of_messages_is_closed_with_1008() -> None:
    async with stub_server(rate=0.01, burst=5) as server, await RawClient.open(server.port) as client:
        client.send(b"".join(frame(TEXT, command(id)) for id in range(17)))
        replies = [await client.reply() for _ in range(15)]
        assert [reply["type"] for reply in replies] == ["ok"] * 5 + ["error"] * 10
        assert await client.close_code() == 1008
        assert server.metrics.turned_away["too many messages"] == 1


async def test_accepted_messages_make_up_for_refused_ones() -> None:
    async with stub_server(rate=0.01, burst=5) as server, await RawClient.open(server.port) as client:
        connection = await server.connection()
        for _ in range(4):
            connection.rate_limit.tokens = 0.0
            client.send(b"".join(frame(TEXT, command(id)) for id in range(8)))
            assert [(await client.reply())["type"] for _ in range(8)] == ["error"] * 8
            connection.rate_limit.tokens = 8.0
            client.send(b"".join(frame(TEXT, command(id)) for id in range(8)))
            assert [(await client.reply())["type"] for _ in range(8)] == ["ok"] * 8
        assert connection.rate_limit.refused == 0


async def test_pings_and_fragments_cost_a_token_each() -> None:
    async with stub_server(rate=0.01, burst=4) as server, await RawClient.open(server.port) as client:
        data = command(1)
        client.send(frame(PING, b"x") + frame(TEXT, data[:3], fin=False) + frame(CONT, data[3:], fin=True))
        assert await client.receive() == Frame(PONG, b"x")
        assert (await client.reply())["type"] == "ok"
        client.send(frame(TEXT, command(2)) + frame(TEXT, command(3)))
        assert [(await client.reply())["type"] for _ in range(2)] == ["ok", "error"]


async def test_reply_to_the_ping_of_the_server_is_free() -> None:
    async with stub_server(rate=0.01, burst=1) as server, await RawClient.open(server.port) as client:
        ping = await client.receive(pings=True)
        client.send(frame(PONG, ping.payload) + frame(TEXT, command(1)))
        assert (await client.reply())["type"] == "ok"


async def test_weight_is_charged_to_the_connection_and_to_its_address() -> None:
    async with stub_server(rate=0.01, burst=10) as server, await RawClient.open(server.port) as client:
        connection = await server.connection()
        connection.player = ANN
        client.send(frame(TEXT, command(1)))
        assert (await client.reply())["type"] == "ok"
        assert connection.charge(15) == (0.0, 0.0)  # owed: the next message waits for it
        refused_s, pause_s = connection.charge(15)
        assert (refused_s > 0.0, pause_s) == (True, 0.0)
        client.send(frame(TEXT, command(2)))
        assert (await client.reply())["retry_after"] > 500
        assert server.ip_limits.charge(connection.address, 0.0, asyncio.get_running_loop().time()) == 0.0


async def test_long_messages_spend_the_budget_of_the_address() -> None:
    async with stub_server(rate=0.01, burst=10) as server, await RawClient.open(server.port) as client:
        usual, long = (command(1).ljust(size) for size in (UNWEIGHED_BYTES, UNWEIGHED_BYTES + 41 * BYTES_PER_MESSAGE))
        client.send(frame(TEXT, usual) + frame(TEXT, long) + frame(TEXT, usual) + frame(TEXT, long))
        assert [(await client.reply())["type"] for _ in range(3)] == ["ok"] * 3
        error = await client.reply()
        assert (error["id"], error["code"]) == (1, "rate_limited")
        assert 0 < error["retry_after"] <= 10 + TIMER_MARGIN_S
        assert len(server.commands) == 3


async def test_message_that_is_little_too_long_costs_little() -> None:
    """A class of bots with the longest notes, about 560 bytes a move, must not spend the budget of its address."""
    async with stub_server(rate=0.01, burst=10) as server, await RawClient.open(server.port) as client:
        client.send(frame(TEXT, command(1).ljust(UNWEIGHED_BYTES + BYTES_PER_MESSAGE)) * 8)
        assert [(await client.reply())["type"] for _ in range(8)] == ["ok"] * 8


async def test_flood_of_long_messages_is_closed_with_1008() -> None:
    async with stub_server(rate=0.01, burst=8) as server, await RawClient.open(server.port) as client:
        client.send(frame(TEXT, command(1).ljust(8 * UNWEIGHED_BYTES)) * 17)
        assert [(await client.reply())["type"] for _ in range(4)] == ["ok", "error", "error", "error"]
        assert await client.close_code() == 1008
        assert len(server.commands) == 1


async def test_client_that_waits_after_a_refusal_is_not_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other clients of its address may always be faster: two tournaments of 60 players spend more than the budget."""
    async with stub_server(rate=30.0, burst=8) as server, await RawClient.open(server.port) as client:
        monkeypatch.setattr(server.ip_limits, "charge", lambda address, weight, now: 0.001)
        for _ in range(4):
            client.send(frame(TEXT, command(1).ljust(16 * UNWEIGHED_BYTES)))
            error = await client.reply()
            assert (error["id"], error["code"]) == (1, "rate_limited")
            await asyncio.sleep(error["retry_after"])
        monkeypatch.undo()
        client.send(frame(TEXT, command(2)))
        assert (await client.reply())["id"] == 2


async def test_long_messages_of_an_arbiter_are_free() -> None:
    async with stub_server(rate=0.01, burst=5) as server, await RawClient.open(server.port) as client:
        (await server.connection()).raise_limits(16)
        client.send(frame(TEXT, command(1).ljust(21 * BYTES_PER_MESSAGE)) * 3)
        assert [(await client.reply())["type"] for _ in range(3)] == ["ok"] * 3


async def test_pace_is_that_of_the_address_and_arbiters_get_more(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stub_server() as server, await RawClient.open(server.port), await RawClient.open(server.port):
        await until("both are connected", lambda: len(server.connections) == 2)
        paced: list[tuple[str, float]] = []

        def pace(address: str, weight: float, now: float) -> float:
            paced.append((address, weight))
            return 0.5

        monkeypatch.setattr(server.ip_limits, "pace", pace)
        first, second = server.connections
        second.raise_limits(16)
        assert [first.pace(8.0), second.pace(8.0)] == [0.5, 0.5]
        assert [first.charge(4), second.charge(4)] == [(0.0, 0.5), (0.0, 0.5)]
        assert paced == [("127.0.0.1", weight) for weight in (8.0, 0.5, 4, 0.25)]


async def test_connections_of_one_address_share_its_budget() -> None:
    async with stub_server(rate=0.01, burst=10) as server, await RawClient.open(server.port):
        first = await server.connection()
        assert not is_refused(first, 42)  # before hello, only the address pays
        assert first.rate_limit.tokens == 10.0
        first.player = ANN
        assert is_refused(first, 2)


async def test_raised_limits_are_apart_from_the_budget_of_the_address() -> None:
    async with stub_server(rate=1.0, burst=10) as server, await RawClient.open(server.port):
        connection = await server.connection()
        connection.player = ANN
        now = asyncio.get_running_loop().time()
        assert server.ip_limits.charge(connection.address, 41.0, now) == 0.0
        assert is_refused(connection, 2)  # the address has spent its budget
        connection.raise_limits(16)
        assert (connection.rate_limit.rate, connection.rate_limit.burst) == (16.0, 160.0)
        assert not is_refused(connection, 162)
        assert is_refused(connection, 2)


async def test_work_that_is_done_is_charged_although_the_budget_is_used_up() -> None:
    async with stub_server(rate=1.0, burst=10) as server, await RawClient.open(server.port):
        connection = await server.connection()
        connection.player = ANN
        assert not is_refused(connection, 13)
        assert connection.rate_limit.tokens < 0.0
        connection.charge_done(5.0)
        connection.charge_done(5.0)
        assert connection.rate_limit.tokens == pytest.approx(-12.0, abs=1.0)
        now = asyncio.get_running_loop().time()
        assert server.ip_limits.charge(connection.address, 20.0, now) == 0.0  # the address has paid as well
        assert server.ip_limits.charge(connection.address, 1.0, now) > 0.0
        connection.charge_done(10_000.0)
        assert connection.rate_limit.tokens == pytest.approx(-MAX_DEBT_S, abs=1.0)
