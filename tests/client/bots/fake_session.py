"""A session without a server, for tests of the parts that play over one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import TypeVar

from client.sdk.errors import SessionError
from client.sdk.events import SessionEvent
from client.sdk.room_cache import RoomCache
from protocol.commands import Command, Move
from protocol.events import AnyEvent
from protocol.replies import Ok
from tests.client.sdk.fake_transport import welcome

C = TypeVar("C", bound=Command)


class FakeSession:
    """Records commands and replies `ok`. A test may set `refuse` to raise an error instead."""

    url = "ws://example.org/ws"
    latency = 0.0

    def __init__(self, name: str = "me") -> None:
        self.rooms, self.welcome = RoomCache(), welcome(name)
        self.asked: list[Command] = []
        self.refuse: Callable[[Command], SessionError | None] = lambda command: None
        self.next_room = "new"
        self._ids = count(1)
        self._events: asyncio.Queue[SessionEvent] = asyncio.Queue()

    def id(self) -> int:
        return next(self._ids)

    async def ask(self, command: Command) -> Ok:
        self.asked.append(command)
        error = self.refuse(command)
        if error is not None:
            raise error
        seq = self.rooms[command.room].seq + 1 if isinstance(command, Move) else 0  # the event of the move
        return Ok(id=command.id, room=self.next_room, seq=seq)

    def of_type(self, kind: type[C]) -> list[C]:
        """Return the commands of one type."""
        return [command for command in self.asked if isinstance(command, kind)]

    def push(self, event: SessionEvent | AnyEvent) -> None:
        self._events.put_nowait(event)  # type: ignore[arg-type]

    async def __aiter__(self) -> AsyncIterator[SessionEvent]:
        while True:
            yield await self._events.get()
