"""A session with a server: it outlives the connections it is made of.

    async with Session("ws://127.0.0.1:8765/ws", name="alice") as session:
        await session.ask(m.Pair(id=session.id(), game="conga"))
        async for happening in session:     # events, snapshots, lobby updates; Connected and Lost
            table = session.rooms[…]       # every room, folded up to the last event

A cut costs nothing but a Lost and a Connected: the session comes back as the same player, asks for the events it has
missed, and sends again what may be sent twice (client/sdk/requests.py).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from itertools import count
from typing import Self

from client.sdk.errors import Closed, NoServer, Refused, ReplyTimeout, SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.handshake import Handshake
from client.sdk.requests import PendingRequest, Requests
from client.sdk.room_cache import RoomCache
from client.sdk.room_view import RoomView
from client.sdk.subscriptions import Subscriptions
from client.sdk.transport import ConnectionFailed, ConnectionRefused, Transport, open_transport
from client.sdk.url import DEFAULT_URL, websocket_url
from protocol.codec import MSGPACK, Codec
from protocol.commands import Command, Leave, Lobby, Resign, Watch
from protocol.events import Event
from protocol.replies import Closing, Error, Ok, ServerMessage, Snapshot, Welcome
from protocol.types import Message
from runtime.backoff import Backoff
from runtime.tasks import BackgroundTasks

TEMPORARY_ERRORS = ("rate_limited", "unavailable", "draining", "internal")


class Session:
    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        name: str = "",
        fallback_name: str = "",
        token: str = "",
        resume: str = "",
        client: str = "parlour",
        plays: tuple[str, ...] = (),
        trust: str = "",
        codec: Codec[Message] = MSGPACK,
        timeout: float = 30.0,
        idle_timeout: float = 20.0,
        backoff: Backoff | None = None,
        wait_for_server: bool = True,
    ) -> None:
        """`fallback_name`: another name, if the first belongs to somebody. `plays`: what a bot wants to be invited to.

        `trust`: a certificate file to trust beside the usual ones.
        `timeout`: seconds to wait for an answer; `idle_timeout`: after which a connection that says nothing is cut.
        `wait_for_server`: for a server that is not there yet; one that was there and has gone is always waited for.
        """
        self.url = websocket_url(url)
        self.rooms = RoomCache()
        self.welcome: Welcome | None = None
        # the secret that brings us back; keep it to come back after a crash. Beside a token it may be somebody else's
        self.resume = "" if token else resume
        self._introduction = Handshake(name, fallback_name, token, client, plays)
        self._codec, self._trust, self._timeout, self._idle_timeout = codec, trust, timeout, idle_timeout
        self._backoff, self._waits = backoff or Backoff(), wait_for_server
        self._ids = count(1)
        self._asking = Requests()
        self._ready = asyncio.Event()  # there is a link, or there will never be one again
        self._subscriptions = Subscriptions()
        self._happenings: asyncio.Queue[SessionEvent | SessionError] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._tasks = BackgroundTasks(SessionError)
        self._ended: SessionError | None = None
        self._why = f"no answer from {self.url}"  # there was no connection, last time
        self._pause = 0.0  # seconds the server wants us to stay away

    # -- for the user

    def begin(self) -> None:
        """Connect, and go on trying; what comes of it is among the happenings."""
        if self._task is None:
            self._task = asyncio.create_task(self._live())

    async def open(self, within: float | None = None) -> Welcome:
        """Connect, trying for so many seconds (None: for ever); NoServer says why not, Refused is the server's no."""
        self.begin()
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({ready}, timeout=within)
        finally:
            ready.cancel()
        if self.welcome is not None and self._ended is None:
            return self.welcome
        error = self._ended or NoServer(self._why)
        await self.close()
        raise error

    async def close(self) -> None:
        self._end(Closed("the session was closed"))
        tasks = [*self._tasks, *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[SessionEvent]:
        while True:
            happening = await self._happenings.get()
            if isinstance(happening, Closed):
                return
            if isinstance(happening, SessionError):
                raise happening
            yield happening

    def id(self) -> int:
        """A number for the next command."""
        return next(self._ids)

    async def ask(self, command: Command, within: float | None = None) -> Ok:
        """Send a command and wait for its `ok`; Refused, Unanswered, or Cut if it may not be sent twice."""
        if self._ended is not None:
            raise self._ended
        self._subscriptions.note(command)
        try:
            async with asyncio.timeout(self._timeout if within is None else within):
                return await self._asking.ask(command, self._ready)
        except TimeoutError:
            raise ReplyTimeout(f"no answer from {self.url}") from None

    async def abandon(self, views: Iterable[RoomView]) -> None:
        """Leave rooms whose game has not started and resign the running ones. Ignores refusals."""
        for view in views:
            command = Leave if view.status == "waiting" else Resign
            with suppress(SessionError):
                await self.ask(command(id=self.id(), room=view.room))

    @property
    def latency(self) -> float:
        """Seconds for a question and its answer, lately."""
        return self._asking.latency

    @property
    def lag(self) -> float:
        """Seconds that an answer takes now."""
        return self._asking.lag(time.monotonic())

    # -- connections

    async def _live(self) -> None:
        try:
            while True:
                await self._one_connection()
                seconds = self._backoff.next(at_least=self._pause)
                self._happenings.put_nowait(Disconnected(self._why, seconds))
                await asyncio.sleep(seconds)
        except SessionError as error:
            self._end(error)
        except Exception as error:  # a mistake of ours: whoever waits is to hear of it
            self._end(SessionError(f"{type(error).__name__}: {error}"))
            raise

    async def _one_connection(self) -> None:
        """Connect and stay until the connection is gone. NoServer and Refused: there is no use in trying again."""
        self._pause = 0.0
        try:
            async with open_transport(self.url, self._codec, self._idle_timeout, self._trust) as link:
                began = time.monotonic()
                welcome = await self._introduction.make(link, self.resume, self.id)
                self._connected(link, welcome, time.monotonic() - began)
                async for message in link.messages():
                    self._receive(message)
                self._why = link.farewell
        except ConnectionRefused as error:
            if self.welcome is None and not self._waits:
                raise NoServer(f"{error}; is parlour serve running there?") from None
            self._why = str(error)
        except ConnectionFailed as error:
            self._why = str(error)
        except Refused as error:
            if error.code not in TEMPORARY_ERRORS:
                raise
            self._why, self._pause = str(error), error.retry_after or 0.0
        finally:
            if self._ended is None:
                self._ready.clear()
            for task in self._tasks:  # the next connection has its own
                task.cancel()
            self._asking.disconnected()

    def _connected(self, link: Transport, welcome: Welcome, latency: float) -> None:
        again = self.welcome is not None and self.welcome.you.id == welcome.you.id
        if not again:
            self.rooms.clear()  # the seats of somebody else
        self.welcome, self.resume = welcome, welcome.session
        self._backoff.reset()
        self._happenings.put_nowait(Connected(welcome, again))
        self._tasks.start(self._take_up(welcome, self._asking.connected(link, welcome.limits, latency)))
        self._ready.set()

    async def _take_up(self, welcome: Welcome, unanswered: list[PendingRequest]) -> None:
        """Whatever was under way: questions without an answer, the lobby, rooms where something may have happened."""
        for waiting in unanswered:
            await self._asking.send(waiting)
        if self._subscriptions.lobby:
            await self.ask(Lobby(id=self.id(), on=True))
        for room, after in list(self._subscriptions.missed(self.rooms, welcome.rooms)):
            await self._catch_up(room, after)

    def _end(self, error: SessionError) -> None:
        if self._ended is None:
            self._ended = error
            self._asking.fail(error)
            self._ready.set()
            self._happenings.put_nowait(error)

    # -- messages

    def _receive(self, message: ServerMessage) -> None:
        now = time.monotonic()
        match message:
            case Ok() | Error():
                self._asking.answered(message)
                if isinstance(message, Error) and message.snapshot is not None:
                    self._snapshot(message.snapshot, now)
            case Snapshot():
                self._snapshot(message, now)
            case Event():
                self._event(message, now)
            case _:
                if isinstance(message, Closing):
                    self._pause = message.retry_after
                self._happenings.put_nowait(message)

    def _snapshot(self, snapshot: Snapshot, now: float) -> None:
        if self.rooms.snapshot(snapshot, now):
            self._happenings.put_nowait(snapshot)

    def _event(self, event: Event, now: float) -> None:
        asked = event.room in self.rooms.missing
        if self.rooms.event(event, now):
            self._happenings.put_nowait(event)  # type: ignore[arg-type]  # every event is one of them
        elif event.room in self.rooms.missing and not asked:
            self._tasks.start(self._catch_up(event.room, self.rooms.missing[event.room]))

    async def _catch_up(self, room: str, after: int) -> None:
        """Ask for the events behind a seq, or with 0 for a whole snapshot."""
        with suppress(Refused):  # a room that is there no more
            await self.ask(Watch(id=self.id(), room=room, after=after, code=self._subscriptions.code(room)))
