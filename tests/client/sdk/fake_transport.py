"""A transport without a network, for tests of the parts that use one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from client.sdk.transport import ConnectionFailed
from protocol.commands import Command, Hello
from protocol.replies import Error, Ok, ServerMessage, Welcome
from protocol.types import Limits, Message, Player


def limits(rate: float, burst: int) -> Limits:
    return Limits(
        message_bytes=16384,
        messages_per_second=rate,
        burst=burst,
        rooms=8,
        name_length=32,
        text_length=200,
        note_length=500,
    )


LIMITS = limits(1000.0, 1000)


def welcome(player: str = "p", session: str = "secret", rooms: tuple[str, ...] = ()) -> Welcome:
    you = Player(id=player, name=player)
    return Welcome(id=1, you=you, session=session, server="test", limits=LIMITS, games=(), rooms=rooms)


def refusal(code: str, id: int | None = 1, **more: object) -> Error:
    return Error(id=id, code=code, text=f"refused: {code}", **more)  # type: ignore[arg-type]


class FakeTransport:
    """Records what is sent. `reply` and `push` put a message in, `cut` ends the connection."""

    close_text = "the server closed the connection"

    def __init__(self, *replies: ServerMessage) -> None:
        self.sent: list[Message] = []
        self.silent = False  # reply to no command
        self._incoming: asyncio.Queue[ServerMessage | None] = asyncio.Queue()
        for reply in replies:
            self.push(reply)

    def push(self, message: ServerMessage) -> None:
        self._incoming.put_nowait(message)

    def cut(self) -> None:
        self._incoming.put_nowait(None)

    @property
    def commands(self) -> list[Message]:
        return [message for message in self.sent if not isinstance(message, Hello)]

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        if isinstance(message, Command) and not isinstance(message, Hello) and not self.silent:
            self.push(Ok(id=message.id))

    async def receive(self) -> ServerMessage:
        message = await self._incoming.get()
        if message is None:
            raise ConnectionFailed("no connection")
        return message

    async def messages(self) -> AsyncIterator[ServerMessage]:
        while (message := await self._incoming.get()) is not None:
            yield message
