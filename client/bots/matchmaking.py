"""Matchmaking of a bot: join rooms it is invited to or that are open, and create rooms for games it seeks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from random import Random
from typing import Any

from client.bots.game_loop import Notify
from client.bots.policy import Policy, Seek
from client.sdk.errors import Refused, SessionError
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.commands import Create, Join, Leave, Pair
from protocol.types import RoomInfo
from runtime.tasks import BackgroundTasks

# Refusals of a seek that a retry cannot cure.
PERMANENT_ERRORS = ("bad_options", "bad_clock", "unknown_game", "bad_name", "bad_request", "account_needed")
SEEK_WAIT_S = (3.0, 9.0)  # the wait before the next seek is tried; random, or two bots could miss each other forever
RETRY_S = 2.0  # before a refused seek is tried again
SNAPSHOT_TIMEOUT_S = 5.0  # for the snapshots of resumed rooms; until then nothing is sought
LEAVE_TIMEOUT_S = 1.0  # for leaving the waiting rooms at the end


class Matchmaking:
    """Finds games within the policy's limits."""

    def __init__(
        self,
        session: Session,
        policy: Policy,
        seeks: Collection[Seek],
        notify: Notify,
        tasks: BackgroundTasks,
        playing: Collection[str],
        games_left: Callable[[], int],
    ) -> None:
        """`playing`: the rooms with a running game. `games_left`: returns how many games the bot may still play."""
        self._session, self._policy, self._notify, self._tasks = session, policy, notify, tasks
        self._seeks, self._playing, self._games_left = list(seeks), playing, games_left
        self._seated: set[str] = set()  # rooms with our seat where the game has not started
        self._unknown: set[str] = set()  # those without a snapshot: they may have been created for a seek
        self._sought: dict[str, Seek] = {}  # the rooms that were created for a seek
        self._candidates: dict[str, RoomInfo] = {}  # rooms to join if the policy allows
        self._joining: set[str] = set()
        self._rng = Random()
        self._awake = asyncio.Event()

    @property
    def free(self) -> int:
        """The number of games that may start now."""
        busy = len(self._playing) + len(self._seated) + len(self._joining)
        return min(self._policy.concurrent, self._games_left()) - busy

    # -- events

    def connected(self, rooms: Collection[str], again: bool) -> None:
        """Note the rooms where the server says we have seats. `again`: as the same player as before."""
        if not again:
            self._seated.clear()
        self._seated |= set(rooms) - set(self._playing)
        self._unknown = {room for room in self._seated if not again or room not in self._session.rooms}
        if self._unknown:
            asyncio.get_running_loop().call_later(SNAPSHOT_TIMEOUT_S, self._mark_known, *self._unknown)
        self.wake()

    def consider(self, info: RoomInfo) -> None:
        """Consider joining a room."""
        self._candidates[info.room] = info
        self.wake()

    def waiting(self, view: RoomView) -> None:
        """Note a room where we wait for an opponent. Recognise rooms that were sought before a restart."""
        room = view.room
        self._seated.add(room)
        for seek in self._seeks:
            if room not in self._sought and seek.matches(view.setup):
                self._sought[room] = seek
                self._tasks.start(self._try_next_seek(room))
        self._mark_known(room)

    def started(self, room: str) -> None:
        """Forget a room that no longer waits: its game has started or ended."""
        self._seated.discard(room)
        self._sought.pop(room, None)
        self._mark_known(room)

    def _mark_known(self, *rooms: str) -> None:
        if not self._unknown.isdisjoint(rooms):
            self._unknown.difference_update(rooms)
            self.wake()

    def wake(self) -> None:
        """Check again whether another game can start."""
        self._awake.set()

    # -- actions

    async def run(self) -> None:
        """Join and create rooms until cancelled. Raises Refused if the server can never accept a seek."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            for room, info in list(self._candidates.items()):
                await self._join_if_allowed(room, info)
            for seek in self._open_seeks():
                if self.free > 0 and not self._unknown:
                    await self._seek(seek)

    async def leave(self) -> None:
        """Leave the rooms where we wait, so that no opponent is paired with us. Running games can be resumed."""
        with suppress(SessionError, TimeoutError):
            async with asyncio.timeout(LEAVE_TIMEOUT_S):
                for room in list(self._seated):
                    await self._session.ask(Leave(id=self._session.id(), room=room))

    async def _join_if_allowed(self, room: str, info: RoomInfo) -> None:
        me = "" if self._session.welcome is None else self._session.welcome.you.name
        objection = self._policy.objection(info, me)
        if objection:
            del self._candidates[room]
            if info.invite and info.status == "waiting":
                self._notify(f"{room}: not joined, {objection}")
        elif self.free > 0:
            del self._candidates[room]
            await self._join(room)

    async def _join(self, room: str) -> None:
        self._joining.add(room)
        try:
            await self._session.ask(Join(id=self._session.id(), room=room))
            self._mark_seated(room)
        except SessionError as error:
            self._notify(f"{room}: not joined, {error}")
        finally:
            self._joining.discard(room)

    def _mark_seated(self, room: str) -> None:
        """Note a new seat, unless events that arrived before the reply say that the game runs or has ended."""
        view = self._session.rooms.get(room)
        if room not in self._playing and (view is None or view.status != "ended"):
            self._seated.add(room)

    def _open_seeks(self) -> list[Seek]:
        """Return the seeks for which no room waits."""
        waiting = [seek for room, seek in self._sought.items() if room in self._seated]
        return [seek for seek in self._seeks if seek not in waiting]

    async def _seek(self, seek: Seek) -> None:
        session = self._session
        common: dict[str, Any] = {
            "id": session.id(), "game": seek.game, "options": seek.options, "clock": seek.clock, "rated": seek.rated
        }  # fmt: skip
        try:
            pair = Pair(bot_after=seek.bot_after, **common)
            made = await session.ask(Create(invite=seek.opponent, **common) if seek.opponent else pair)
        except SessionError as error:
            if isinstance(error, Refused) and error.code in PERMANENT_ERRORS:
                raise
            self._notify(f"cannot play {seek.game}: {error}")
            asyncio.get_running_loop().call_later(RETRY_S, self.wake)
            return
        self._mark_seated(made.room)
        self._sought[made.room] = seek
        self._seeks.remove(seek)
        self._seeks.append(seek)  # try the others first next time
        self._tasks.start(self._try_next_seek(made.room))

    async def _try_next_seek(self, room: str) -> None:
        """Leave a room that still waits after a while, if another seek needs its place.

        Bots that wait for different games would otherwise wait forever.
        """
        await asyncio.sleep(self._rng.uniform(*SEEK_WAIT_S))
        seek = self._sought.get(room)
        if room in self._seated and seek is not None and seek.opponent:
            self._notify(f"{room}: {seek.opponent} has not joined yet; the invitation stays open")
        if room in self._seated and self._open_seeks() and self.free <= 0:
            self._seated.discard(room)
            with suppress(SessionError):
                await self._session.ask(Leave(id=self._session.id(), room=room))
            self.wake()
