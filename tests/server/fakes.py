"""Stand-ins for tests of the server: a clock set by hand, stores that fail or wait, a bus, and recording clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any

from protocol.codec import JSON, MSGPACK
from protocol.commands import Command
from protocol.events import AnyEvent, Event
from protocol.frames import TEXT_HEAD
from protocol.replies import Error, LobbyUpdate, Ok, Snapshot, Welcome
from protocol.types import ErrorCode, Message, Player
from server.app import App
from server.cluster.bus import BusListener, LocalBus, Payloads
from server.config import Settings
from server.domain.room import Room
from server.metrics import Metrics
from server.rooms.live_room import LiveRoom
from server.storage.interface import Append, Conflict, Done, Unavailable
from server.storage.sqlite.readers import READ_TIMEOUT_S, Read, Result
from server.storage.sqlite.store import SqliteStore
from server.vouchers import Voucher
from tests.server.domain.helpers import NOW
from tests.waiting import TIMEOUT_S


class ManualClock:
    """Server time that stands still until a test advances it."""

    def __init__(self, at: int = NOW) -> None:
        self.at = at

    def __call__(self) -> int:
        return self.at

    def advance(self, ms: int) -> None:
        self.at += ms


class RecordingClient:
    """A client that decodes and keeps everything that is sent to it."""

    def __init__(self, player: Player | None = None, text: bool = False) -> None:
        self.player = player
        self.text = text
        self.address = "192.0.2.1"
        self.charged = 0.0
        self.wait = 0.0  # until a command is accepted
        self.paced: list[float] = []
        self.delay = 0.0  # before the work
        self.allowance = 1
        self.account_change = 0
        self.voucher: Voucher | None = None
        self.rooms: dict[str, LiveRoom] = {}
        self.latency = 0.0
        self.wishes: frozenset[str] = frozenset()
        self.messages: list[Any] = []
        self.writes = 0
        self.unread_bytes = 0
        self.closed: tuple[int, str] | None = None

    def write(self, frames: bytes) -> int:
        self.writes += 1
        while frames:
            size, start = frames[1], 2
            if size > 125:
                start = 4 if size == 126 else 10
                size = int.from_bytes(frames[2:start], "big")
            assert self.text == (frames[0] == TEXT_HEAD)
            codec = JSON if self.text else MSGPACK
            self.messages.append(codec.decode_server_message(frames[start : start + size]))
            frames = frames[start + size :]
        return self.unread_bytes

    def send(self, message: Message) -> None:
        self.messages.append(message)

    def refuse(
        self,
        id: int | None,
        code: ErrorCode,
        text: str,
        retry_after: float | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.messages.append(Error(id=id, code=code, text=text, retry_after=retry_after, snapshot=snapshot))

    def charge(self, weight: int) -> tuple[float, float]:
        self.charged += weight - 1
        return (self.wait, 0.0) if self.wait else (0.0, self.pace(weight))

    def charge_done(self, weight: float) -> None:
        self.charged += weight

    def pace(self, weight: float) -> float:
        self.paced.append(weight)
        return self.delay

    def raise_limits(self, allowance: int) -> None:
        self.allowance = allowance

    def backlog(self) -> int:
        return self.unread_bytes

    def cut(self, code: int, reason: str) -> None:
        self.closed = code, reason

    # -- what a test asks for

    def of(self, kind: type[Any]) -> list[Any]:
        """Return the messages of one type."""
        return [message for message in self.messages if isinstance(message, kind)]

    def kinds(self) -> list[str]:
        """Return the types of all messages, in order."""
        return [type(message).__name__ for message in self.messages]

    @property
    def events(self) -> list[tuple[str, int]]:
        """Room and seq of all events, in order."""
        return [(event.room, event.seq) for event in self.of(Event)]

    @property
    def answers(self) -> list[int | None]:
        """The ids of all answered commands, in order."""
        return [message.id for message in self.messages if isinstance(message, Ok | Error | Welcome)]

    @property
    def lobby(self) -> list[LobbyUpdate]:
        return self.of(LobbyUpdate)

    def answer(self, id: int) -> Any:
        """Return the one reply to a command."""
        (reply,) = [
            message for message in self.messages if isinstance(message, Ok | Error | Welcome) and message.id == id
        ]
        return reply


class FaultyStore(SqliteStore):
    """A SQLite store that fails or reports a conflict on demand. `shared`: as if several nodes used it."""

    def __init__(self, path: str, shared: bool = False) -> None:
        super().__init__(path)
        self.shared = shared
        self.write_error: Unavailable | None = None
        self.read_error: Unavailable | None = None
        self.conflicts = 0  # appends to reject with Conflict
        self.appended: list[Append] = []
        self.reads = 0

    async def open(self, create: bool = True, serving: bool = False, read_only: bool = False) -> bool:
        new = await super().open(create, serving, read_only)
        self._submit = self.append  # an open store hands appends straight to its write queue
        self.append = self._append_or_fail  # type: ignore[method-assign]
        return new

    def _append_or_fail(self, append: Append, done: Done) -> None:
        self.appended.append(append)
        if self.write_error is not None:
            asyncio.get_running_loop().call_soon(done, self.write_error)
        elif self.conflicts:
            self.conflicts -= 1
            asyncio.get_running_loop().call_soon(done, Conflict())
        else:
            self._submit(append, done)

    async def _write(self, sql: str, *values: Any) -> int:
        if self.write_error is not None:
            raise self.write_error
        return await super()._write(sql, *values)

    async def _in_reader(self, read: Read[Result], timeout_s: float | None = READ_TIMEOUT_S) -> Result:
        self.reads += 1
        if self.read_error is not None:
            raise self.read_error
        return await super()._in_reader(read, timeout_s)


class SteppedStore(SqliteStore):
    """A shared log in memory. Each request is carried out, and answered, when the test says so.

    Writing (or reading) is one step and the answer to the node is another. Much can happen in between.
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

    async def events(self, room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
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


class ManualBus(LocalBus):
    """A bus that keeps what is published. The test decides what another node hears of it, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.has_listeners = True
        self.announced: list[tuple[str, int]] = []  # rooms and their newest seqs
        self.shown: list[str] = []
        self.plies: list[dict[str, int]] = []
        self.invited: list[tuple[str, str]] = []

    def listen(self, listener: BusListener) -> None:
        """Deliver nothing."""

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        self.announced.append((room.setup.room, room.seq))

    def show(self, room: Room) -> None:
        self.shown.append(room.id)

    def advance(self, plies: dict[str, int]) -> None:
        self.plies.append(plies)

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        self.invited.append((room.id, name))


class Harness:
    """A whole server without sockets: real parts on a real database, a manual clock, and recording clients."""

    def __init__(self, store: FaultyStore, clock: ManualClock, **settings: Any) -> None:
        self.store, self.clock, self.bus = store, clock, ManualBus()
        self.settings = Settings(**{"watch_tick": 0.0, "lobby_tick": 3600.0, **settings})
        self.app = App(self.settings, store, self.bus, Metrics(), clock)
        self._ids = count(1)

    def connect(self, player: Player, text: bool = False) -> RecordingClient:
        """Return the client of a player who has been welcomed."""
        client = RecordingClient(player, text)
        self.app.presence.add(client)
        return client

    def send(self, client: RecordingClient, kind: type[Command], **fields: Any) -> int:
        """Send a command that needs no time before it reaches its room. Return its id."""
        id = next(self._ids)
        work = self.app.dispatcher.receive(client, kind(id=id, **fields))  # type: ignore[arg-type]
        assert work is None
        return id

    async def ask(self, client: RecordingClient, kind: type[Command], **fields: Any) -> Any:
        """Send a command, let the server finish its work, and return the reply."""
        id = next(self._ids)
        work = self.app.dispatcher.receive(client, kind(id=id, **fields))  # type: ignore[arg-type]
        if work is not None:
            await work
        await self.settle()
        return client.answer(id)

    def room(self, name: str) -> LiveRoom:
        return self.app.registry.rooms[name]

    async def settle_tasks(self) -> None:
        """Wait for the background tasks that run now."""
        if tasks := list(self.app.tasks):
            await asyncio.wait(tasks)

    async def settle(self) -> None:
        """Wait until the server has nothing left to do."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                for _ in range(4):
                    await asyncio.sleep(0)
                await self.store.flush()
                await asyncio.sleep(0)
                busy = any(live.busy or live.queue for live in self.app.registry.rooms.values())
                tasks = list(self.app.tasks)
                if tasks:
                    await asyncio.wait(tasks)
                elif not busy and not self.store.queued:
                    return
