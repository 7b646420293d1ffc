"""A bot's life with a server: whom it plays, how many at a time, and going on after every interruption."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from client.bots.factory import BotFactory
from client.bots.game_loop import GameLoop, Notify, PlaySettings
from client.bots.matchmaking import Matchmaking
from client.bots.policy import Policy, Seek
from client.sdk.credentials import CredentialsFile
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.commands import Leave, Lobby, Rematch
from protocol.events import Event, RematchOffered
from protocol.replies import Invited, LobbyUpdate, Snapshot

LINGER = 20.0  # seconds in a finished game, for those who want another one


class Runner:
    def __init__(
        self,
        session: Session,
        factory: BotFactory,
        policy: Policy,
        settings: PlaySettings,
        tell: Notify,
        *,
        seeks: tuple[Seek, ...] = (),
        open_rooms: bool = False,
        games: int | None = None,
        state: CredentialsFile | None = None,
    ) -> None:
        """`open_rooms`: join whoever waits in the lobby; `games`: leave after so many."""
        self._session, self._factory, self._policy, self._settings, self._tell = (
            session,
            factory,
            policy,
            settings,
            tell,
        )
        self._open_rooms, self._games, self._state = open_rooms, games, state
        self._playing: dict[str, GameLoop] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._done = asyncio.Event()
        self._seeking = Matchmaking(session, policy, seeks, tell, self._spawn, self._playing, self._left)
        self.played = 0

    async def run(self) -> None:
        """Until enough games have been played, or for ever; SessionError if the server does not want us."""
        listening = asyncio.create_task(self._listen())
        seeking = asyncio.create_task(self._seeking.run())
        done = asyncio.create_task(self._enough())
        try:
            await asyncio.wait({listening, seeking, done}, return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, seeking):
                if task.done():
                    task.result()
        finally:
            ways = (listening, seeking, done)
            for task in ways:  # nothing new begins while we leave
                task.cancel()
            await self._seeking.leave()
            games = [playing.task for playing in self._playing.values()]
            for task in (*self._tasks, *games):
                task.cancel()
            await asyncio.gather(*ways, *self._tasks, *games, return_exceptions=True)

    def leave(self) -> None:
        """As if it had been enough."""
        self._done.set()

    async def _enough(self) -> None:
        await self._done.wait()

    # -- what the server says

    async def _listen(self) -> None:
        async for happening in self._session:
            self._hear(happening)

    def _hear(self, happening: SessionEvent) -> None:
        match happening:
            case Connected():
                self._connected(happening)
            case Disconnected():
                self._tell(f"{happening.reason}; trying again in {happening.retry_in:.1f} s")
            case Invited():
                self._seeking.consider(happening.room)
            case LobbyUpdate():
                for info in happening.rooms:
                    self._seeking.consider(info)
            case Snapshot() | Event():
                table = self._session.rooms.get(happening.room)
                if table is not None:  # else we have left the room meanwhile
                    self._room_changed(table)
                    if isinstance(happening, RematchOffered):
                        self._rematch(table)

    def _connected(self, happening: Connected) -> None:
        you = happening.welcome.you
        if self._state is not None:
            self._state.save(happening.welcome.session)
        if not happening.again:
            self._tell(f"connected to {self._session.url} as {you.name}")
            for playing in self._playing.values():  # games of somebody whom the server does not know any more
                playing.task.cancel()
        if self._open_rooms:
            self._spawn(self._watch_lobby())
        self._seeking.sits(happening.welcome.rooms, happening.again)

    async def _watch_lobby(self) -> None:
        with suppress(SessionError):
            await self._session.ask(Lobby(id=self._session.id(), on=True))

    def _room_changed(self, table: RoomView) -> None:
        room = table.room
        playing = self._playing.get(room)
        if playing is not None:
            playing.hear()
        if table.seat is None:
            return
        if table.status == "waiting":
            self._seeking.waits(table)
            return
        self._seeking.begun(room)
        if table.status == "running" and playing is None:
            self._begin(table)
        elif table.status == "ended" and playing is None:
            self._spawn(self._leave_later(room))
            self._seeking.wake()

    # -- games

    def _begin(self, table: RoomView) -> None:
        opponent = "?" if table.opponent is None else table.opponent.name
        self._tell(f"{table.room}: {table.setup.game} as {table.setup.sides[table.seat or 0]} against {opponent}")
        self._playing[table.room] = playing = GameLoop(
            self._session, table.room, self._factory.make(), self._settings, self._tell
        )
        playing.task.add_done_callback(lambda task: self._ended(table.room, task))
        self._seeking.wake()

    def _ended(self, room: str, task: asyncio.Task[None]) -> None:
        self._playing.pop(room, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._tell(f"{room}: {type(error).__name__}: {error}")
            return
        table = self._session.rooms[room]
        outcome = table.outcome()
        if outcome is not None:
            word = "draw" if outcome.winner is None else "won" if outcome.winner == table.seat else "lost"
            word = "no result" if table.result == "*" else word
            self._tell(f"{room}: {word} ({outcome.reason}) after {table.ply} move{'s' * (table.ply != 1)}")
        self.played += 1
        if self._games is not None and self.played >= self._games and not self._playing:
            self._done.set()
            return
        self._spawn(self._leave_later(room))
        self._seeking.wake()

    async def _leave_later(self, room: str) -> None:
        await asyncio.sleep(LINGER)
        if room not in self._playing:
            with suppress(SessionError):
                await self._session.ask(Leave(id=self._session.id(), room=room))
            self._session.rooms.pop(room, None)

    def _rematch(self, table: RoomView) -> None:
        if table.seat is not None and table.offers.rematch == 1 - table.seat:
            accept = self._policy.rematches and self._seeking.free > 0
            self._spawn(self._answer_rematch(table.room, accept))

    async def _answer_rematch(self, room: str, accept: bool) -> None:
        with suppress(SessionError):
            await self._session.ask(Rematch(id=self._session.id(), room=room, accept=accept))

    # -- chores

    def _left(self) -> int:
        """How many games there may be from now on, those under way among them."""
        return sys.maxsize if self._games is None else self._games - self.played

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
