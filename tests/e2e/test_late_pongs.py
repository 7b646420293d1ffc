"""A client that delays its pongs pays for all the time it uses."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from tests.e2e.clock import Clock
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.local_server import until
from tests.server.transport.raw_client import PING, PONG, TEXT, RawClient, frame

PONG_DELAY_S = 0.6
MAX_CREDIT_MS = 100  # per move: a delayed acknowledgement takes 40 ms


class LateClient:
    """A client that answers every ping late, and reads messages meanwhile."""

    def __init__(self, raw: RawClient) -> None:
        self.raw, self.messages, self.pongs = raw, list[dict[str, Any]](), 0
        self.reading = asyncio.create_task(self.read())

    async def read(self) -> None:
        while True:
            received = await self.raw.receive(pings=True)
            if received.opcode == PING:
                asyncio.get_running_loop().call_later(PONG_DELAY_S, self.answer, received.payload)
            else:
                self.messages.append(json.loads(received.payload))

    def answer(self, payload: bytes) -> None:
        self.raw.send(frame(PONG, payload))
        self.pongs += 1

    def send(self, **fields: Any) -> None:
        self.raw.send(frame(TEXT, json.dumps(fields).encode()))

    async def find(self, **wanted: Any) -> dict[str, Any]:
        def found() -> list[dict[str, Any]]:
            return [message for message in self.messages if wanted.items() <= message.items()]

        await until(f"a message with {wanted}", found)
        return found()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the round trip of the kernel")
async def test_late_pongs_buy_no_time(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock, ping_interval=0.1)
    ben = await connect_guest(server.url, "ben")
    async with await RawClient.open(int(server.url.split(":")[-1].split("/")[0])) as raw:
        late = LateClient(raw)
        late.send(type="hello", id=1, name="late")
        late.send(type="create", id=2, game="cohcoh", seat=0, clock={"kind": "fischer", "base": 60_000})
        room = (await late.find(type="ok", id=2))["room"]
        await until("the server has measured the latency", lambda: late.pongs >= 2)
        await ben.ask("join", room=room)
        await late.find(type="started")
        for ply, (mine, other) in enumerate([("a1", "a3"), ("b1", "b3"), ("a2", "b4")]):
            clock.pass_at_work(server.app.status, 2)
            late.send(type="move", id=10 + ply, room=room, ply=2 * ply, move=mine)
            moved = await late.find(type="moved", ply=2 * ply + 1)
            assert moved["took"] >= 2000
            assert moved["charged"] >= moved["took"] - MAX_CREDIT_MS
            await ben.ask("move", room=room, ply=2 * ply + 1, move=other)
            await late.find(type="moved", ply=2 * ply + 2)
        late.reading.cancel()
