"""A session with a server that survives reconnects.

    async with Session("ws://127.0.0.1:8765/ws", name="alice") as session:
        await session.ask(Pair(id=session.id(), game="conga"))
        async for event in session:     # events, snapshots, lobby updates; Connected and Disconnected
            view = session.rooms[…]     # every followed room, up to its last event

When the connection is lost, the session reconnects as the same player, requests the events it has missed, and sends
again the commands that are safe to send twice (client/sdk/requests.py).
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
from client.sdk.url import DEFAULT_URL, room_url, websocket_url
from protocol.codec import MSGPACK, Codec
from protocol.commands import Command, Leave, Lobby, Resign, Watch, WatchTournament
from protocol.events import Event
from protocol.replies import Closing, Error, Ok, ServerMessage, Snapshot, Welcome
from protocol.types import Message
from runtime.backoff import Backoff
from runtime.tasks import BackgroundTasks

TEMPORARY_ERRORS = ("rate_limited", "unavailable", "draining", "internal")  # refusals of hello that a retry may cure


class Session:
    """A client's session: send commands with `ask`, iterate over events, read rooms from `rooms`."""

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
        wants: tuple[str, ...] = (),
        bot: bool = False,
        engine: str = "",
        version: str = "",
        concurrent: int = 0,
        ladder: bool = False,
        trust: str = "",
        codec: Codec[Message] = MSGPACK,
        timeout: float = 30.0,
        idle_timeout: float = 20.0,
        backoff: Backoff | None = None,
        wait_for_server: bool = True,
        room: str = "",
        voucher: str = "",
    ) -> None:
        """Prepare a session without connecting. Raises NoServer if the URL is not valid.

        `fallback_name`: used if `name` is taken. `plays`: games to which a bot may be invited.
        `wants`: what the server adds to messages, of `board`, `legal` and `preview`.
        `bot`: a program plays, not a person; `engine` and `version` say which.
        `concurrent`: how many games the bot plays at a time. `ladder`: a ladder may pair it.
        `trust`: a certificate file to trust beside the system's certificates.
        `timeout`: seconds to wait for a reply. `idle_timeout`: seconds after which a silent connection is closed.
        `wait_for_server`: retry if the first connection is refused. Later losses are always retried.
        `room`: a room that will be used, if known: a balancer may then choose the node of its players.
        `voucher`: what the SSH service of the server vouches for, if the client runs for an SSH client.
        """
        self.url = websocket_url(url)
        self._first_room, self._voucher = room, voucher
        self.rooms = RoomCache()
        self.welcome: Welcome | None = None
        # The resume secret. Save it to return after a crash. With a token it is ignored: it may be another player's.
        self.resume = "" if token else resume
        self._handshake = Handshake(
            name, fallback_name, token, client, plays, wants, bot, engine, version, concurrent, ladder
        )  # fmt: skip
        self._codec, self._trust, self._timeout, self._idle_timeout = codec, trust, timeout, idle_timeout
        self._backoff, self._wait_for_server = backoff or Backoff(), wait_for_server
        self._ids = count(1)
        self._requests = Requests()
        self._ready = asyncio.Event()  # set while connected, and after the session has ended
        self._subscriptions = Subscriptions()
        self._events: asyncio.Queue[SessionEvent | SessionError] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._tasks = BackgroundTasks(SessionError)
        self._ended: SessionError | None = None
        self._last_failure = f"no answer from {self.url}"
        self._retry_after = 0.0  # seconds that the server asked to wait before reconnecting

    def start(self) -> None:
        """Connect in the background and keep retrying. Results arrive as events."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def open(self, within: float | None = None) -> Welcome:
        """Connect and return the server's welcome. Retry for `within` seconds, or forever if None.

        Raises NoServer if no server can be reached, Refused if it does not accept the client.
        """
        self.start()
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({ready}, timeout=within)
        finally:
            ready.cancel()
        if self.welcome is not None and self._ended is None:
            return self.welcome
        error = self._ended or NoServer(self._last_failure)
        await self.close()
        raise error

    async def close(self) -> None:
        """Close the connection. Pending requests fail with Closed and the iteration ends."""
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
            event = await self._events.get()
            if isinstance(event, Closed):
                return
            if isinstance(event, SessionError):
                raise event
            yield event

    def id(self) -> int:
        """Return a new id for a command."""
        return next(self._ids)

    async def ask(self, command: Command, within: float | None = None) -> Ok:
        """Send a command and return its `ok`. `within`: seconds to wait instead of the session's timeout.

        Raises Refused, ReplyTimeout, or ConnectionLost if the command must not be sent twice.
        """
        if self._ended is not None:
            raise self._ended
        self._subscriptions.record(command)
        try:
            async with asyncio.timeout(self._timeout if within is None else within):
                return await self._requests.ask(command, self._ready)
        except TimeoutError:
            raise ReplyTimeout(f"no answer from {self.url}: try again later") from None

    async def abandon(self, views: Iterable[RoomView]) -> None:
        """Leave rooms whose game has not started and resign the running ones. Ignores refusals."""
        for view in views:
            command = Leave if view.status == "waiting" else Resign
            with suppress(SessionError):
                await self.ask(command(id=self.id(), room=view.room))

    @property
    def latency(self) -> float:
        """The recent average of the seconds from a command to its reply."""
        return self._requests.latency

    @property
    def lag(self) -> float:
        """The latency, or the time since the oldest unanswered command was sent if that is longer."""
        return self._requests.lag(time.monotonic())

    # -- connections

    async def _run(self) -> None:
        try:
            while True:
                await self._run_connection()
                seconds = self._backoff.next(min_s=self._retry_after)
                self._events.put_nowait(Disconnected(self._last_failure, seconds))
                await asyncio.sleep(seconds)
        except SessionError as error:
            self._end(error)
        except Exception as error:  # a bug: do not leave callers waiting
            self._end(SessionError(f"{type(error).__name__}: {error}"))
            raise

    async def _run_connection(self) -> None:
        """Connect and receive until the connection is lost. Raises NoServer or Refused if a retry is pointless."""
        self._retry_after = 0.0
        try:
            unfinished = self.rooms.unfinished()
            url = room_url(self.url, unfinished[-1].room if unfinished else self._first_room)
            async with open_transport(url, self._codec, self._idle_timeout, self._trust, self._voucher) as transport:
                began = time.monotonic()
                welcome = await self._handshake.perform(transport, self.resume, self.id)
                self._connected(transport, welcome, time.monotonic() - began)
                async for message in transport.messages():
                    self._receive(message)
                self._last_failure = transport.close_text
        except ConnectionRefused as error:
            if self.welcome is None and not self._wait_for_server:
                raise NoServer(f"{error}; start a server there with 'parlour serve', or check the address") from None
            self._last_failure = str(error)
        except ConnectionFailed as error:
            self._last_failure = str(error)
        except Refused as error:
            if error.code not in TEMPORARY_ERRORS:
                raise
            self._last_failure, self._retry_after = str(error), error.retry_after or 0.0
        finally:
            if self._ended is None:
                self._ready.clear()
            for task in self._tasks:  # they belong to this connection
                task.cancel()
            self._requests.disconnected()

    def _connected(self, transport: Transport, welcome: Welcome, latency: float) -> None:
        again = self.welcome is not None and self.welcome.you.id == welcome.you.id
        if not again:
            self.rooms.clear()  # views of another player, with seats that are not ours
        self.welcome, self.resume = welcome, welcome.session
        self._backoff.reset()
        self._events.put_nowait(Connected(welcome, again))
        self._tasks.start(self._catch_up(welcome, self._requests.connected(transport, welcome.limits, latency)))
        self._ready.set()

    async def _catch_up(self, welcome: Welcome, unanswered: list[PendingRequest]) -> None:
        """Resend unanswered commands, subscribe to lobby and tournament again, and request missed events."""
        for request in unanswered:
            await self._requests.send(request)
        if self._subscriptions.lobby:
            await self.ask(Lobby(id=self.id(), on=True))
        if self._subscriptions.tournament:
            await self.ask(WatchTournament(id=self.id(), name=self._subscriptions.tournament))
        for room, after in list(self._subscriptions.missed(self.rooms, welcome.rooms)):
            await self._request_events(room, after)

    def _end(self, error: SessionError) -> None:
        if self._ended is None:
            self._ended = error
            self._requests.fail(error)
            self._ready.set()
            self._events.put_nowait(error)

    # -- messages

    def _receive(self, message: ServerMessage) -> None:
        now = time.monotonic()
        match message:
            case Ok() | Error():
                self._requests.resolve(message)
                if isinstance(message, Error) and message.snapshot is not None:
                    self._receive_snapshot(message.snapshot, now)
            case Snapshot():
                self._receive_snapshot(message, now)
            case Event():
                self._receive_event(message, now)
            case _:
                if isinstance(message, Closing):
                    self._retry_after = message.retry_after
                self._events.put_nowait(message)

    def _receive_snapshot(self, snapshot: Snapshot, now: float) -> None:
        if self.rooms.apply_snapshot(snapshot, now):
            self._events.put_nowait(snapshot)

    def _receive_event(self, event: Event, now: float) -> None:
        requested = event.room in self.rooms.missing
        if self.rooms.apply_event(event, now):
            self._events.put_nowait(event)  # type: ignore[arg-type]  # every Event is one of ServerMessage
        elif event.room in self.rooms.missing and not requested:
            self._tasks.start(self._request_events(event.room, self.rooms.missing[event.room]))

    async def _request_events(self, room: str, after: int) -> None:
        """Request the events after a seq, or a whole snapshot if it is 0."""
        with suppress(Refused):  # the room no longer exists
            await self.ask(Watch(id=self.id(), room=room, after=after, code=self._subscriptions.code(room)))
