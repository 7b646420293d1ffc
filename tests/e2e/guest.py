"""A test client made of the `websockets` package and a JSON or msgpack library. It uses no code of Parlour."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.waiting import TIMEOUT_S

Message = dict[str, Any]
ANSWERS = ("ok", "error", "welcome")


class Refused(AssertionError):
    """The server answered a command with an error."""

    def __init__(self, error: Message) -> None:
        super().__init__(error)
        self.error = error


class Guest:
    """One connection. `seen` keeps messages that were received but not asked for yet."""

    def __init__(self, socket: ClientConnection, codec: str) -> None:
        self.socket, self.codec = socket, codec
        self.seen: list[Message] = []
        self.ids = itertools.count(1)
        self.you: Message = {}
        self.session = ""

    @classmethod
    async def open(cls, url: str, codec: str = "msgpack", **options: Any) -> Guest:
        subprotocol = Subprotocol(f"parlour.v1.{codec}")
        socket = await connect(url, subprotocols=[subprotocol], compression=None, max_size=None, **options)
        return cls(socket, codec)

    async def send(self, type: str, **fields: Any) -> int:
        id = next(self.ids)
        await self.send_tree({"type": type, "id": id, **fields})
        return id

    async def send_tree(self, tree: Any) -> None:
        await self.socket.send(json.dumps(tree) if self.codec == "json" else msgpack.packb(tree))

    async def receive(self) -> Message:
        data = await asyncio.wait_for(self.socket.recv(), TIMEOUT_S)
        message: Message = json.loads(data) if self.codec == "json" else msgpack.unpackb(data)
        assert isinstance(data, str) == (self.codec == "json")
        return message

    async def find(self, **wanted: Any) -> Message:
        """Return the next message with these fields, first from `seen`, then from the connection."""
        at = 0
        while True:
            while at < len(self.seen):
                message = self.seen[at]
                if all(message.get(key) == value for key, value in wanted.items()):
                    return self.seen.pop(at)
                at += 1
            self.seen.append(await self.receive())

    async def answer(self, id: int) -> Message:
        """Return the reply to a command."""
        while True:
            for at, message in enumerate(self.seen):
                if message["type"] in ANSWERS and message.get("id") == id:
                    return self.seen.pop(at)
            self.seen.append(await self.receive())

    async def ask(self, type: str, **fields: Any) -> Message:
        """Send a command and return its reply. Raises Refused if it is an error."""
        answer = await self.answer(await self.send(type, **fields))
        if answer["type"] == "error":
            raise Refused(answer)
        return answer

    async def refused(self, type: str, **fields: Any) -> Message:
        """Send a command that must be refused, and return the error."""
        answer = await self.answer(await self.send(type, **fields))
        assert answer["type"] == "error", answer
        return answer

    async def hello(self, name: str = "", **fields: Any) -> Message:
        welcome = await self.ask("hello", name=name, client="test", **fields)
        self.you, self.session = welcome["you"], welcome["session"]
        return welcome

    async def closed(self) -> int:
        """Wait until the server has closed the connection, and return the close code."""

        async def read_on() -> None:
            async for _ in self.socket:
                pass

        try:
            await asyncio.wait_for(read_on(), TIMEOUT_S)
        except Exception as error:
            if isinstance(error, TimeoutError):
                raise
        await asyncio.wait_for(self.socket.wait_closed(), TIMEOUT_S)
        assert self.socket.close_code is not None
        return self.socket.close_code

    async def close(self) -> None:
        await self.socket.close()
