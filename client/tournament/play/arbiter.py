"""The connection of a tournament: it makes rooms for two others, and hears what happens in them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from client.sdk.credentials import CredentialsFile
from client.sdk.errors import ConnectionLost, Refused, ReplyTimeout, SessionError
from client.sdk.events import Connected, Disconnected
from client.sdk.room_view import RoomView
from client.sdk.session import TEMPORARY_ERRORS, Session
from client.sdk.time_control import parse_time_control
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing
from protocol.commands import Abort, Command, Create, Export, History, Leave, List, Watch
from protocol.events import Event
from protocol.replies import Ok, Snapshot
from protocol.types import RoomInfo
from runtime.tasks import BackgroundTasks

RETRY_DELAY_S = 1.0  # seconds before another try at what was refused for now
HISTORY_PAGES = 3  # of finished games, in which one may be that we never heard of


class Arbiter:
    def __init__(self, session: Session, plan: Plan, state: CredentialsFile) -> None:
        self.session = session
        self._plan, self._state = plan, state
        self._clock = parse_time_control(plan.clock)
        self._changed: dict[str, asyncio.Event] = {}  # the rooms that somebody waits for
        self._watched: set[str] = set()  # rooms that we have asked to hear of, beside those that we made
        self._tasks = BackgroundTasks(SessionError)
        self._away_since: float | None = None
        self._away = 0.0  # seconds without a connection, so far
        self._unlogged: list[RoomInfo] = []

    async def listen(self) -> None:
        """For as long as the tournament lasts. SessionError if the server does not want us any more."""
        async for happening in self.session:
            match happening:
                case Connected():
                    self._connected(happening)
                case Disconnected() if self._away_since is None:
                    self._away_since = time.monotonic()
                case Snapshot() | Event():
                    event = self._changed.get(happening.room)
                    if event is not None:
                        event.set()

    def _connected(self, happening: Connected) -> None:
        self._state.save(happening.welcome.session)
        if self._away_since is not None:
            self._away += time.monotonic() - self._away_since
            self._away_since = None
        for room in self._changed:
            self._tasks.start(self._send_watch(room))

    def now(self) -> float:
        """A clock that stands still while there is no connection: nobody is to lose for what the network does."""
        since = time.monotonic() if self._away_since is None else self._away_since
        return since - self._away

    # -- rooms

    async def create_room(self, game: Pairing, start: str) -> str:
        """A room for a game."""
        while True:
            stray = self.take_unlogged_room(game, start)
            if stray:
                return stray
            try:
                made = await self.session.ask(
                    Create(
                        id=self.session.id(),
                        game=self._plan.game,
                        options={**self._plan.options, **({"start": start} if start else {})},
                        clock=self._clock,
                        rated=self._plan.rated,
                        illegal=self._plan.illegal,
                        players=game.seats,
                    )
                )
                return made.room
            except (ConnectionLost, ReplyTimeout):
                await self.find_unlogged_rooms(set())  # perhaps it was made
            except Refused as refused:
                if refused.code not in (*TEMPORARY_ERRORS, "too_many_rooms"):
                    raise TournamentError(
                        f"the server makes no room for {' and '.join(game.seats)}: {refused}"
                    ) from None
                await asyncio.sleep(refused.retry_after or RETRY_DELAY_S)

    def take_unlogged_room(self, game: Pairing, start: str) -> str:
        """A room of ours for this game that nobody knows of; "" if there is none."""
        for info in self._unlogged:
            if info.players == game.seats and (not start or info.options.get("start") == start):
                self._unlogged.remove(info)
                return info.room
        return ""

    async def find_unlogged_rooms(self, known: set[str]) -> None:
        """Rooms of ours that nobody knows of: the last thing before a crash may have been to make one."""
        game, id = self._plan.game, self.session.id
        found = list((await self._ask(lambda: List(id=id(), game=game))).rooms or ())
        before: int | None = None
        for _ in range(HISTORY_PAGES):
            page = await self._ask(lambda: History(id=id(), game=game, before=before, limit=100))  # noqa: B023
            found += page.rooms or ()
            before = page.before
            if before is None:
                break
        me = "" if self.session.welcome is None else self.session.welcome.you.name
        known = known | set(self._changed)
        self._unlogged = [info for info in found if info.players and info.arbiter == me and info.room not in known]

    async def watch(self, room: str) -> RoomView | None:
        """Hear of a room until `forget`; None if there is no such room any more."""
        self._changed.setdefault(room, asyncio.Event())
        if room not in self.session.rooms:
            self._watched.add(room)
            try:
                await self._ask(lambda: Watch(id=self.session.id(), room=room))
            except Refused as refused:
                if refused.code == "no_room":
                    return None
                raise
            while room not in self.session.rooms:  # the snapshot follows the answer
                await self.wait(room, RETRY_DELAY_S)
        return self.session.rooms[room]

    def table(self, room: str) -> RoomView:
        return self.session.rooms[room]

    async def wait(self, room: str, seconds: float) -> bool:
        """Until something happens in a room, or so much time has passed; whether it was the former."""
        event = self._changed[room]
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await event.wait()
        happened = event.is_set()
        event.clear()
        return happened

    async def refresh(self, room: str) -> None:
        """Ask what has happened in a room that has been silent for long: news may have been lost."""
        with suppress(SessionError):
            await self._send_watch(room)

    def unwatch(self, room: str) -> None:
        self._changed.pop(room, None)
        if room in self._watched:  # else the session would go on asking for it, connection after connection
            self._watched.discard(room)
            self._tasks.start(self._send_leave(room))
        table = self.session.rooms.get(room)
        if table is not None and table.status == "ended":  # of others more may be heard, which needs a place
            del self.session.rooms[room]

    async def abort(self, room: str) -> bool:
        """Whether the game is over now, by this or because it was over before; not if we have no say in it any more."""
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
        """Ask until there is an answer, however long the server is away; Refused if it is a lasting no."""
        while True:
            try:
                return await self.session.ask(command())
            except ReplyTimeout:
                continue
            except Refused as refused:
                if refused.code not in TEMPORARY_ERRORS:
                    raise
                await asyncio.sleep(refused.retry_after or RETRY_DELAY_S)

    # -- connections

    async def _send_leave(self, room: str) -> None:
        await self.session.ask(Leave(id=self.session.id(), room=room))

    async def _send_watch(self, room: str) -> None:
        self._watched.add(room)
        known = self.session.rooms.get(room)
        await self.session.ask(Watch(id=self.session.id(), room=room, after=0 if known is None else known.seq))
