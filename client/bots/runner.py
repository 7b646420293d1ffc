"""Run a bot on a server: play several games at a time and continue after every interruption."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

from client.bots.factory import BotFactory
from client.bots.game_loop import GameLoop, Notify, PlaySettings
from client.bots.matchmaking import Matchmaking
from client.bots.policy import Policy, Seek
from client.sdk.credentials import CredentialsFile
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.sdk.result_text import result_text
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from client.sdk.sides import shown_sides
from protocol.commands import Leave, Lobby, Rematch
from protocol.events import Event, RematchOffered
from protocol.replies import Invited, LobbyUpdate, Snapshot
from runtime.tasks import BackgroundTasks

LEAVE_AFTER_S = 20.0  # in a finished game, so that the opponent can offer a rematch


class Runner:
    """Connects the events of a session to matchmaking and game loops."""

    def __init__(
        self,
        session: Session,
        factory: BotFactory,
        policy: Policy,
        settings: PlaySettings,
        notify: Notify,
        *,
        seeks: tuple[Seek, ...] = (),
        open_rooms: bool = False,
        games: int | None = None,
        credentials: CredentialsFile | None = None,
    ) -> None:
        """`open_rooms`: join rooms that wait in the lobby. `games`: stop after this many games."""
        self._session, self._factory, self._policy, self._settings = session, factory, policy, settings
        self._notify, self._open_rooms, self._games, self._credentials = notify, open_rooms, games, credentials
        self._playing: dict[str, GameLoop] = {}
        self._tasks = BackgroundTasks(SessionError)
        self._done = asyncio.Event()
        self._matchmaking = Matchmaking(
            session, policy, seeks, notify, self._tasks, self._playing, self._games_left
        )  # fmt: skip
        self.played = 0
        self.failed = 0  # games in which the bot crashed, hung or made an illegal move

    async def run(self) -> None:
        """Play until enough games are played, or forever. Raises SessionError if the server refuses the bot."""
        listening = asyncio.create_task(self._listen())
        matchmaking = asyncio.create_task(self._matchmaking.run())
        done = asyncio.create_task(self._wait_until_done())
        try:
            await asyncio.wait({listening, matchmaking, done}, return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, matchmaking):
                if task.done():
                    task.result()
        finally:
            main_tasks = (listening, matchmaking, done)
            for task in main_tasks:  # start nothing new while leaving
                task.cancel()
            await self._matchmaking.leave()
            games = [playing.task for playing in self._playing.values()]
            for task in games:
                task.cancel()
            await asyncio.gather(*main_tasks, *games, return_exceptions=True)
            await self._tasks.cancel()

    def stop(self) -> None:
        """End run() as if enough games were played."""
        self._done.set()

    async def _wait_until_done(self) -> None:
        await self._done.wait()

    # -- events

    async def _listen(self) -> None:
        async for event in self._session:
            self._handle(event)

    def _handle(self, event: SessionEvent) -> None:
        match event:
            case Connected():
                self._connected(event)
            case Disconnected():
                self._notify(f"{event.reason}; trying again in {event.retry_in:.1f} s")
            case Invited():
                self._matchmaking.consider(event.room)
            case LobbyUpdate():
                for info in event.rooms:
                    self._matchmaking.consider(info)
            case Snapshot() | Event():
                view = self._session.rooms.get(event.room)
                if view is not None:  # otherwise we have left the room
                    self._room_changed(view)
                    if isinstance(event, RematchOffered):
                        self._rematch_offered(view)

    def _connected(self, event: Connected) -> None:
        you = event.welcome.you
        if self._credentials is not None:
            self._credentials.save(event.welcome.session)
        if not event.again:
            self._notify(f"connected to {self._session.url} as {you.name}")
            for playing in self._playing.values():  # games of the old identity, which the server has forgotten
                playing.task.cancel()
        if self._open_rooms:
            self._tasks.start(self._watch_lobby())
        self._matchmaking.connected(event.welcome.rooms, event.again)

    async def _watch_lobby(self) -> None:
        await self._session.ask(Lobby(id=self._session.id(), on=True))

    def _room_changed(self, view: RoomView) -> None:
        room = view.room
        playing = self._playing.get(room)
        if playing is not None:
            playing.room_changed()
        if view.seat is None:
            return
        if view.status == "waiting":
            self._matchmaking.waiting(view)
            return
        self._matchmaking.started(room)
        if view.status == "running" and playing is None:
            self._start_game(view)
        elif view.status == "ended" and playing is None:
            self._tasks.start(self._leave_later(room))
            self._matchmaking.wake()

    # -- games

    def _start_game(self, view: RoomView) -> None:
        opponent = "?" if view.opponent is None else view.opponent.name
        self._notify(f"{view.room}: {view.setup.game} as {shown_sides(view)[view.seat or 0]} against {opponent}")
        playing = GameLoop(self._session, view.room, self._factory.make(), self._settings, self._notify)
        self._playing[view.room] = playing
        playing.task.add_done_callback(lambda task: self._game_ended(view.room, task))
        self._matchmaking.wake()

    def _game_ended(self, room: str, task: asyncio.Task[None]) -> None:
        playing = self._playing.pop(room, None)
        if playing is not None and playing.failed:
            self.failed += 1
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._notify(f"{room}: {type(error).__name__}: {error}")
            return
        view = self._session.rooms[room]
        outcome = view.outcome()
        if outcome is not None:
            self._notify(f"{room}: {result_text(view, outcome)}, after {view.ply} move{'s' * (view.ply != 1)}")
        self.played += 1
        if self._games is not None and self.played >= self._games and not self._playing:
            self._done.set()
            return
        self._tasks.start(self._leave_later(room))
        self._matchmaking.wake()

    async def _leave_later(self, room: str) -> None:
        await asyncio.sleep(LEAVE_AFTER_S)
        if room not in self._playing:
            with suppress(SessionError):
                await self._session.ask(Leave(id=self._session.id(), room=room))
            self._session.rooms.pop(room, None)

    def _rematch_offered(self, view: RoomView) -> None:
        if view.seat is not None and view.offers.rematch == 1 - view.seat:
            accept = self._policy.rematches and self._matchmaking.free > 0
            self._tasks.start(self._answer_rematch(view.room, accept))

    async def _answer_rematch(self, room: str, accept: bool) -> None:
        await self._session.ask(Rematch(id=self._session.id(), room=room, accept=accept))

    def _games_left(self) -> int:
        """Return how many games may still end, including the running ones."""
        return sys.maxsize if self._games is None else self._games - self.played
