"""How a bot comes to its games: rooms that wait for it or for anybody, and those it makes because it wants a game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
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

# after these asking again would not help
HOPELESS = ("bad_options", "bad_clock", "unknown_game", "bad_name", "bad_request", "account_needed")
WAITING = (3.0, 9.0)  # seconds for one game before another is tried; by chance, or two would chase each other
RETRY = 2.0  # seconds before another try at something that was refused
LEAVING = 1.0  # seconds to give our seats back

Spawn = Callable[[Coroutine[Any, Any, None]], None]


class Matchmaking:
    def __init__(
        self,
        session: Session,
        policy: Policy,
        seeks: Collection[Seek],
        tell: Notify,
        spawn: Spawn,
        playing: Collection[str],
        left: Callable[[], int],
    ) -> None:
        """`playing`: the rooms with a game under way; `left`: how many games there may still be."""
        self._session, self._policy, self._tell, self._spawn = session, policy, tell, spawn
        self._seeks, self._playing, self._left = list(seeks), playing, left
        self._seated: set[str] = set()  # rooms where we wait for the start, or for the news of it
        self._sought: dict[str, Seek] = {}  # what those rooms are for, where we looked for it
        self._open: dict[str, RoomInfo] = {}  # rooms we might join
        self._joining: set[str] = set()
        self._rng = Random()
        self._awake = asyncio.Event()

    @property
    def free(self) -> int:
        """How many games more we may begin now."""
        busy = len(self._playing) + len(self._seated) + len(self._joining)
        return min(self._policy.concurrent, self._left()) - busy

    # -- what we hear of

    def sits(self, rooms: Collection[str], again: bool) -> None:
        """Where the server says that we sit; `again`: as the same player as before."""
        if not again:
            self._seated.clear()
        self._seated |= set(rooms) - set(self._playing)
        self.wake()

    def consider(self, info: RoomInfo) -> None:
        """A room that might be for us."""
        self._open[info.room] = info
        self.wake()

    def waits(self, table: RoomView) -> None:
        """A room where we sit and wait; one that we looked for in an earlier life is recognised."""
        room = table.room
        self._seated.add(room)
        for seek in self._seeks:
            if room not in self._sought and seek.matches(table.setup):
                self._sought[room] = seek
                self._spawn(self._move_on(room))

    def begun(self, room: str) -> None:
        """The waiting is over, with a game or without."""
        self._seated.discard(room)
        self._sought.pop(room, None)

    def wake(self) -> None:
        """Something has changed that may let us play another game."""
        self._awake.set()

    # -- what we do about it

    async def run(self) -> None:
        """For ever; Refused if a seek can never come true."""
        while True:
            await self._awake.wait()
            self._awake.clear()
            for room, info in list(self._open.items()):
                await self._look_at(room, info)
            for seek in self._unfulfilled():
                if self.free > 0:
                    await self._seek(seek)

    async def leave(self) -> None:
        """Nobody is to wait for us in vain; games under way can be taken up again."""
        with suppress(SessionError, TimeoutError):
            async with asyncio.timeout(LEAVING):
                for room in list(self._seated):
                    await self._session.ask(Leave(id=self._session.id(), room=room))

    async def _look_at(self, room: str, info: RoomInfo) -> None:
        me = "" if self._session.welcome is None else self._session.welcome.you.name
        objection = self._policy.objection(info, me)
        if objection:
            del self._open[room]
            if info.invite and info.status == "waiting":
                self._tell(f"{room}: not joined, {objection}")
        elif self.free > 0:
            del self._open[room]
            await self._join(room)

    async def _join(self, room: str) -> None:
        self._joining.add(room)
        try:
            await self._session.ask(Join(id=self._session.id(), room=room))
            self._sit(room)
        except SessionError as error:
            self._tell(f"{room}: not joined, {error}")
        finally:
            self._joining.discard(room)

    def _sit(self, room: str) -> None:
        """We have a seat; the news of it may still be on its way to us."""
        table = self._session.rooms.get(room)
        if room not in self._playing and (table is None or table.status != "ended"):
            self._seated.add(room)

    def _unfulfilled(self) -> list[Seek]:
        """The seeks for which we do not wait in a room already."""
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
            if isinstance(error, Refused) and error.code in HOPELESS:
                raise
            self._tell(f"cannot play {seek.game}: {error}")
            asyncio.get_running_loop().call_later(RETRY, self.wake)
            return
        self._sit(made.room)
        self._sought[made.room] = seek
        self._seeks.remove(seek)
        self._seeks.append(seek)  # all in turn
        self._spawn(self._move_on(made.room))

    async def _move_on(self, room: str) -> None:
        """Whoever waits for one game while others wait for another would wait for ever: now and then try the next."""
        await asyncio.sleep(self._rng.uniform(*WAITING))
        seek = self._sought.get(room)
        if room in self._seated and seek is not None and seek.opponent:
            self._tell(f"{room}: {seek.opponent} has not come yet; the invitation waits")
        if room in self._seated and self._unfulfilled() and self.free <= 0:
            self._seated.discard(room)
            with suppress(SessionError):
                await self._session.ask(Leave(id=self._session.id(), room=room))
            self.wake()
