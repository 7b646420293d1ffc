"""A store, a bus and connections that do one step when a test says so, for apps and rooms that are the real ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from protocol.codec import MSGPACK
from protocol.events import AnyEvent, Event
from protocol.replies import LobbyUpdate, Ok
from protocol.types import Message, Player
from server.app import App
from server.cluster.bus import BusListener, LocalBus
from server.domain.room import Room
from server.rooms.live_room import LiveRoom
from server.storage.interface import Append, Conflict, Done
from server.storage.sqlite.store import SqliteStore


class Stage(SqliteStore):
    """The log of all rooms, and what apps have asked of it. Each request is dealt with when the test says so.

    That something is written, or read, is one step; that the app is told is another, and much may happen in between.
    """

    shared = True

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.log: dict[tuple[str, int], bytes] = {}
        self.appends: list[tuple[Append, Done]] = []
        self.reads: list[tuple[str, int, asyncio.Future[list[bytes]]]] = []
        self.answers: list[Callable[[], None]] = []

    def append(self, append: Append, done: Done) -> None:
        self.appends.append((append, done))

    def write(self, number: int) -> None:
        append, done = self.appends.pop(number)
        rows = {
            (part.room, part.after + n): payload
            for part in (append, append.also)
            if part is not None
            for n, payload in enumerate(part.payloads, 1)
        }
        taken = not rows.keys().isdisjoint(self.log)
        if not taken:
            self.log.update(rows)
        self.answers.append(partial(done, Conflict() if taken else None))

    async def events(self, room: str, after: int = 0) -> list[bytes]:
        future: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self.reads.append((room, after, future))
        return await future

    def read(self, number: int) -> None:
        room, after, future = self.reads.pop(number)
        self.answers.append(partial(future.set_result, self.all_events(room)[after:]))

    def answer(self, number: int) -> None:
        self.answers.pop(number)()

    def all_events(self, room: str) -> list[bytes]:
        return [self.log[key] for key in sorted(self.log) if key[0] == room]


class Rumours(LocalBus):
    """News on their way to the other app."""

    def __init__(self) -> None:
        super().__init__()
        self.has_listeners = True
        self.waiting: list[tuple[str, int]] = []
        self.other: App | None = None

    def listen(self, listener: BusListener) -> None:
        """Deliver nothing by itself: the test decides what the other node hears."""

    def publish(self, room: Room, events: Sequence[AnyEvent]) -> None:
        self.waiting.append((room.setup.room, room.seq))


class Visitor:
    """A connection that remembers what it was told."""

    def __init__(self, player: Player) -> None:
        self.player: Player | None = player
        self.text = False
        self.rooms: dict[str, LiveRoom] = {}
        self.latency = 0.0
        self.events: list[tuple[str, int]] = []
        self.answers: list[int] = []
        self.lobby: list[LobbyUpdate] = []

    def write(self, frames: bytes) -> int:
        while frames:
            size, start = frames[1], 2
            if size == 126:
                size, start = int.from_bytes(frames[2:4], "big"), 4
            message: Any = MSGPACK.decode_server_message(frames[start : start + size])
            frames = frames[start + size :]
            self.take(message)
        return 0

    def take(self, message: Any) -> None:
        if isinstance(message, Ok):
            self.answers.append(message.id)
        elif isinstance(message, Event):
            self.events.append((message.room, message.seq))
        elif isinstance(message, LobbyUpdate):
            self.lobby.append(message)

    def send(self, message: Message) -> None:
        self.take(message)

    def refuse(self, id: int | None, code: str, text: str, *more: Any) -> None:
        assert code != "internal", text
        assert id is not None
        self.answers.append(id)

    def backlog(self) -> int:
        return 0

    def cut(self, code: int, reason: str) -> None:
        raise AssertionError(reason)
