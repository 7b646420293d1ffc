from __future__ import annotations

import asyncio
from typing import cast

import msgspec
import pytest

from client.sdk.errors import Closed, ConnectionLost, Refused
from client.sdk.requests import Requests
from client.sdk.transport import Transport
from protocol.commands import Command, Create, Join, Move, Say
from protocol.replies import Error, Ok, Snapshot
from protocol.types import Limits, PlayedMove
from tests.client.sdk.fake_transport import LIMITS, FakeTransport, limits, refusal
from tests.client.sdk.room_log import RoomLog
from tests.waiting import settle, until

MOVE = Move(id=1, room="r", ply=0, move="a4b3")
CREATE = Create(id=1, game="conga")


class Client:
    """Requests over a transport that replies only when the test says so."""

    def __init__(self, given: Limits = LIMITS) -> None:
        self.requests, self.transport = Requests(), FakeTransport()
        self.transport.silent = True
        self.ready = asyncio.Event()
        self.connect(given)

    def connect(self, given: Limits = LIMITS) -> list[Command]:
        unanswered = self.requests.connected(cast(Transport, self.transport), given, 0.0)
        self.ready.set()
        return [request.command for request in unanswered]

    async def ask(self, command: Command) -> asyncio.Task[Ok]:
        """Send a command and return the task that waits for its reply."""
        asking = asyncio.create_task(self.requests.ask(command, self.ready))
        await settle()
        return asking

    async def ask_twice(self, command: Command) -> asyncio.Task[Ok]:
        """Send a command, lose the connection, and send it again."""
        asking = await self.ask(command)
        self.requests.disconnected()
        for request in self.requests.connected(cast(Transport, self.transport), LIMITS, 0.0):
            await self.requests.send(request)
        return asking


async def test_replies_are_matched_by_id() -> None:
    client = Client()
    first = await client.ask(Say(id=1, room="r", text="a"))
    second = await client.ask(Say(id=2, room="r", text="b"))
    client.requests.resolve(Ok(id=2, seq=20))
    client.requests.resolve(Ok(id=9))
    client.requests.resolve(Ok(id=1, seq=10))
    assert ((await first).seq, (await second).seq) == (10, 20)


async def test_error_raises_refused() -> None:
    client = Client()
    asking = await client.ask(MOVE)
    client.requests.resolve(refusal("stale"))
    with pytest.raises(Refused) as caught:
        await asking
    assert caught.value.code == "stale"


async def test_command_waits_for_a_connection() -> None:
    client = Client()
    client.ready.clear()
    asking = await client.ask(MOVE)
    assert client.transport.sent == []
    client.ready.set()
    await settle()
    assert client.transport.sent == [MOVE]
    asking.cancel()


async def test_command_that_must_not_be_sent_twice_fails_with_the_connection() -> None:
    client = Client()
    asking = await client.ask(CREATE)
    client.requests.disconnected()
    with pytest.raises(ConnectionLost, match="lost before the reply arrived"):
        await asking
    assert client.connect() == []


async def test_repeatable_command_is_returned_for_resending() -> None:
    client = Client()
    asking = await client.ask(MOVE)
    client.requests.disconnected()
    assert client.connect() == [MOVE]
    client.requests.resolve(Ok(id=1, seq=5))
    assert (await asking).seq == 5


async def test_second_copy_of_a_join_counts_as_done() -> None:
    client = Client()
    asking = await client.ask_twice(Join(id=1, room="r"))
    client.requests.resolve(refusal("already_seated"))
    assert await asking == Ok(id=1)


async def test_first_copy_of_a_join_does_not() -> None:
    client = Client()
    asking = await client.ask(Join(id=1, room="r"))
    client.requests.resolve(refusal("already_seated"))
    with pytest.raises(Refused):
        await asking


def stale(side: int) -> Error:
    """Return the refusal of a second copy: the snapshot has the move, made by a side."""
    log = RoomLog()
    values = {name: getattr(log.snapshot(-1), name) for name in Snapshot.__struct_fields__}
    played = PlayedMove(ply=1, side=side, move="a4b3", took=0, charged=0)
    return refusal("stale", snapshot=Snapshot(**{**values, "moves": (played,)}))


async def test_second_copy_of_a_move_counts_as_done_if_the_snapshot_has_it() -> None:
    client = Client()
    asking = await client.ask_twice(MOVE)
    reply = stale(side=0)
    assert reply.snapshot is not None
    client.requests.resolve(reply)
    assert await asking == Ok(id=1, seq=reply.snapshot.seq)


async def test_second_copy_of_a_move_is_refused_if_the_opponent_made_it() -> None:
    client = Client()
    asking = await client.ask_twice(MOVE)
    client.requests.resolve(stale(side=1))
    with pytest.raises(Refused):
        await asking


async def test_fail_ends_all_requests() -> None:
    client = Client()
    asking = [await client.ask(MOVE), await client.ask(Say(id=2, room="r", text="a"))]
    client.requests.fail(Closed("closed"))
    assert [type(error) for error in await asyncio.gather(*asking, return_exceptions=True)] == [Closed, Closed]


async def test_rate_limit_delays_the_next_command() -> None:
    client = Client(limits(2.0, 1))
    asking = [await client.ask(Say(id=number, room="r", text="a")) for number in (1, 2)]
    assert len(client.transport.sent) == 1
    await until("the second is sent", lambda: len(client.transport.sent) == 2)
    for task in asking:
        task.cancel()


async def test_lag_grows_while_a_reply_is_missing() -> None:
    client, loop = Client(), asyncio.get_running_loop()
    before = loop.time()
    asking = await client.ask(MOVE)
    now = loop.time()
    assert client.requests.lag(now + 3.0) >= 3.0
    client.requests.resolve(Ok(id=1))
    await asking
    assert client.requests.lag(now + 3.0) == client.requests.latency <= loop.time() - before


async def test_commands_of_more_weight_leave_fewer_tokens() -> None:
    client = Client(msgspec.structs.replace(limits(0.001, 10), weights={"create": 9}))
    first = await client.ask(CREATE)
    second = await client.ask(Create(id=2, game="conga"))
    assert client.transport.sent == [CREATE]  # a burst of nine, which the first one used up
    for asking in (first, second):
        asking.cancel()
    light = Client(limits(0.001, 10))  # a server that knows no weights
    for id in range(1, 10):
        (await light.ask(Create(id=id, game="conga"))).cancel()
    assert len(light.transport.sent) == 9


async def test_rate_limited_command_is_sent_again() -> None:
    client = Client()
    asking = await client.ask(CREATE)
    client.requests.resolve(refusal("rate_limited", retry_after=0.001))
    await until("it is sent again", lambda: len(client.transport.sent) == 2)
    client.requests.resolve(Ok(id=1, room="r"))
    assert (await asking).room == "r"


async def test_refused_join_is_not_taken_for_a_second_copy() -> None:
    client = Client()
    asking = await client.ask(Join(id=1, room="r"))
    client.requests.resolve(refusal("rate_limited", retry_after=0.001))
    await until("it is sent again", lambda: len(client.transport.sent) == 2)
    client.requests.resolve(refusal("already_seated"))
    with pytest.raises(Refused):
        await asking


@pytest.mark.parametrize("command", [MOVE, Say(id=1, room="r", text="a")])
async def test_caller_decides_about_a_late_move_or_chat_line(command: Command) -> None:
    client = Client()
    asking = await client.ask(command)
    client.requests.resolve(refusal("rate_limited", retry_after=0.001))
    with pytest.raises(Refused):
        await asking
    assert len(client.transport.sent) == 1
