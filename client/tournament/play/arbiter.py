"""The arbiter: the client session of a tournament. It creates rooms for two other players and watches them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from client.sdk.credentials import CredentialsFile
from client.sdk.errors import ConnectionLost, Refused, ReplyTimeout, SessionError
from client.sdk.events import Connected, Disconnected
from client.sdk.room_view import RoomView
from client.sdk.session import TEMPORARY_ERRORS, Session
from client.sdk.time_control import parse_time_control
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import Pairing
from engine.options import OptionValue
from protocol.commands import Abort, Command, Create, Export, History, Leave, List, Lobby, Watch
from protocol.events import Event
from protocol.replies import LobbyUpdate, Ok, Snapshot
from protocol.types import RoomInfo
from runtime.tasks import BackgroundTasks

RETRY_DELAY_S = 1.0  # after a temporary refusal
SNAPSHOT_TIMEOUT_S = 5.0
HISTORY_PAGES = 3  # of finished games to search for unlogged rooms


class RoomTerms(Protocol):
    """What the rooms of a tournament or a ladder have in common."""

    @property
    def game(self) -> str: ...
    @property
    def options(self) -> Mapping[str, OptionValue]: ...
    @property
    def clock(self) -> str: ...
    @property
    def rated(self) -> bool: ...
    @property
    def illegal(self) -> int: ...


class Arbiter:
    """Creates, watches and aborts the rooms of a tournament or a ladder."""

    def __init__(self, session: Session, terms: RoomTerms, credentials: CredentialsFile) -> None:
        self.session = session
        self._terms, self._credentials = terms, credentials
        self._clock = parse_time_control(terms.clock)
        self._changed: dict[str, asyncio.Event] = {}  # by room: set when something happens there
        self._watched: set[str] = set()  # rooms we sent `watch` for; rooms we created need none
        self._tasks = BackgroundTasks(SessionError)
        self._disconnected_at: float | None = None
        self._disconnected_s = 0.0  # total seconds without a connection
        self._unlogged: list[RoomInfo] = []
        self._known: set[str] = set()  # rooms that are or will be in the log
        self.on_connected: Callable[[], None] = lambda: None
        self.on_lobby: Callable[[LobbyUpdate], None] = lambda update: None

    async def listen(self) -> None:
        """Handle events for as long as the tournament lasts. Raises SessionError if the server ends the session."""
        async for event in self.session:
            match event:
                case Connected():
                    self._connected(event)
                case LobbyUpdate():
                    self.on_lobby(event)
                case Disconnected() if self._disconnected_at is None:
                    self._disconnected_at = time.monotonic()
                case Snapshot() | Event():
                    if event.room in self._changed:
                        self._changed[event.room].set()

    def _connected(self, event: Connected) -> None:
        self._credentials.save(event.welcome.session)
        if self._disconnected_at is not None:
            self._disconnected_s += time.monotonic() - self._disconnected_at
            self._disconnected_at = None
        self.on_connected()
        for room in self._changed:
            self._tasks.start(self._send_watch(room))

    @property
    def connected(self) -> bool:
        """Whether the server can be asked."""
        return self._disconnected_at is None

    def now(self) -> float:
        """Return a monotonic time that stops while disconnected, so that network failures cost players no time."""
        since = time.monotonic() if self._disconnected_at is None else self._disconnected_at
        return since - self._disconnected_s

    # -- rooms

    async def create_room(self, game: Pairing, start: str, rated: bool | None = None, since_ms: int = 0) -> str:
        """Create a room for a game and return its id. An unlogged room for this game is reused.

        `rated`: if it differs from the terms. `since_ms`: as in `take_unlogged_room`.
        Raises TournamentError if the server refuses for good.
        """
        while True:
            room = self.take_unlogged_room(game, start, since_ms)
            if room:
                return room
            try:
                created = await self.session.ask(
                    Create(
                        id=self.session.id(),
                        game=self._terms.game,
                        options={**self._terms.options, **({"start": start} if start else {})},
                        clock=self._clock,
                        rated=self._terms.rated if rated is None else rated,
                        illegal=self._terms.illegal,
                        players=game.seats,
                    )
                )
                self._known.add(created.room)
                return created.room
            except (ConnectionLost, ReplyTimeout):
                await self.find_unlogged_rooms(set())  # the room may have been created nevertheless
            except Refused as refused:
                if refused.code not in (*TEMPORARY_ERRORS, "too_many_rooms"):
                    raise TournamentError(
                        f"the server refuses a room for {' and '.join(game.seats)}: {refused}"
                    ) from None
                await asyncio.sleep(refused.retry_after or RETRY_DELAY_S)

    def take_unlogged_room(self, game: Pairing, start: str, since_ms: int = 0) -> str:
        """Return an unlogged room for this game and forget it, or return "" if there is none.

        `since_ms`: rooms that were created before, in milliseconds since the epoch, are of another log.
        """
        for info in self._unlogged:
            if info.created_at < since_ms:
                continue
            if info.players == game.seats and (not start or info.options.get("start") == start):
                self._unlogged.remove(info)
                self._known.add(info.room)
                return info.room
        return ""

    async def find_unlogged_rooms(self, known: set[str]) -> None:
        """Find rooms of this arbiter that are not in the log: a crash may have happened right after creating one."""
        game, id = self._terms.game, self.session.id
        rooms = list((await self._ask(lambda: List(id=id(), game=game))).rooms or ())
        before: int | None = None
        for _ in range(HISTORY_PAGES):
            page = await self._ask(lambda: History(id=id(), game=game, before=before, limit=100))  # noqa: B023
            rooms += page.rooms or ()
            before = page.before
            if before is None:
                break
        own_name = "" if self.session.welcome is None else self.session.welcome.you.name
        self._known |= known | set(self._changed)
        self._unlogged = [
            info for info in rooms if info.players and info.arbiter == own_name and info.room not in self._known
        ]

    async def follow_lobby(self) -> None:
        """Receive lobby updates from now on, after every reconnect too."""
        await self._ask(lambda: Lobby(id=self.session.id(), on=True))

    async def watch(self, room: str) -> RoomView | None:
        """Watch a room until `unwatch`. Return None if it does not exist."""
        self._changed.setdefault(room, asyncio.Event())
        if room not in self.session.rooms:
            self._watched.add(room)
            try:
                await self._ask(lambda: Watch(id=self.session.id(), room=room))
            except Refused as refused:
                if refused.code == "no_room":
                    return None
                raise
            while room not in self.session.rooms:  # the snapshot follows the reply, unless the connection is lost
                if not await self.wait(room, SNAPSHOT_TIMEOUT_S):
                    await self.refresh(room)
        return self.session.rooms[room]

    async def wait(self, room: str, seconds: float) -> bool:
        """Wait until something happens in a room or the time is up. Return whether something happened."""
        event = self._changed[room]
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        happened = event.is_set()
        event.clear()
        return happened

    async def refresh(self, room: str) -> None:
        """Ask the server for events of a room that has been silent for long, in case some were lost."""
        with suppress(SessionError):
            await self._send_watch(room)

    def unwatch(self, room: str) -> None:
        self._changed.pop(room, None)
        if room in self._watched:  # else the session would watch it again after every reconnect
            self._watched.discard(room)
            self._tasks.start(self._send_leave(room))
        view = self.session.rooms.get(room)
        if view is not None and view.status == "ended":  # other rooms may still get events
            del self.session.rooms[room]

    async def abort(self, room: str) -> bool:
        """Abort a game. Return whether it is over now; False if this session is not its arbiter any more."""
        try:
            await self._ask(lambda: Abort(id=self.session.id(), room=room))
        except Refused as refused:
            if refused.code not in ("game_over", "no_room", "bad_request", "not_seated"):
                raise
            return refused.code == "game_over"
        return True

    async def export_record(self, room: str) -> str:
        return (await self._ask(lambda: Export(id=self.session.id(), room=room))).text

    async def _ask(self, command: Callable[[], Command]) -> Ok:
        """Send a command until it is answered, however long the server is away. Raises Refused unless temporary."""
        while True:
            try:
                return await self.session.ask(command())
            except ReplyTimeout:
                continue
            except Refused as refused:
                if refused.code not in TEMPORARY_ERRORS:
                    raise
                await asyncio.sleep(refused.retry_after or RETRY_DELAY_S)

    # -- commands

    async def _send_leave(self, room: str) -> None:
        await self.session.ask(Leave(id=self.session.id(), room=room))

    async def _send_watch(self, room: str) -> None:
        self._watched.add(room)
        known = self.session.rooms.get(room)
        await self.session.ask(Watch(id=self.session.id(), room=room, after=0 if known is None else known.seq))
