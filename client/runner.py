"""A bot's life with a server: whom it plays, how many at a time, and going on after every interruption."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from random import Random
from typing import Any

from client.errors import Refused, SessionError
from client.happenings import Connected, Happening, Lost
from client.maker import Maker
from client.playing import Manners, Playing, Tell
from client.policy import Policy, Wish
from client.session import Session
from client.statefile import StateFile
from client.table import Table
from protocol import messages as m

LINGER = 20.0  # seconds in a finished game, for those who want another one
HOPELESS = (
    "bad_options",
    "bad_clock",
    "unknown_game",
    "bad_name",
    "bad_request",
    "account_needed",
)  # asking again would not help
WAITING = (3.0, 9.0)  # seconds for one game before another is tried; by chance, or two would chase each other
RETRY = 2.0  # seconds before another try at something that was refused


class Runner:
    def __init__(
        self,
        session: Session,
        maker: Maker,
        policy: Policy,
        manners: Manners,
        tell: Tell,
        *,
        wishes: tuple[Wish, ...] = (),
        open_rooms: bool = False,
        games: int | None = None,
        state: StateFile | None = None,
    ) -> None:
        """`open_rooms`: join whoever waits in the lobby; `games`: leave after so many."""
        self._session, self._maker, self._policy, self._manners, self._tell = session, maker, policy, manners, tell
        self._wishes, self._open_rooms, self._games, self._state = list(wishes), open_rooms, games, state
        self._playing: dict[str, Playing] = {}
        self._seated: set[str] = set()  # rooms where we wait for the start, or for the news of it
        self._sought: dict[str, Wish] = {}  # what those rooms are for, where we looked for it
        self._open: dict[str, m.RoomInfo] = {}  # rooms we might join
        self._joining: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._rng = Random()
        self._looking = asyncio.Event()
        self._done = asyncio.Event()
        self.played = 0

    async def run(self) -> None:
        """Until enough games have been played, or for ever; SessionError if the server does not want us."""
        listening = asyncio.create_task(self._listen())
        looking = asyncio.create_task(self._look())
        done = asyncio.create_task(self._enough())
        try:
            await asyncio.wait({listening, looking, done}, return_when=asyncio.FIRST_COMPLETED)
            for task in (listening, looking):
                if task.done():
                    task.result()
        finally:
            tasks = [listening, looking, done, *self._tasks, *(playing.task for playing in self._playing.values())]
            await self._take_leave()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def leave(self) -> None:
        """As if it had been enough."""
        self._done.set()

    async def _enough(self) -> None:
        await self._done.wait()

    async def _take_leave(self) -> None:
        """Nobody is to wait for us in vain; games under way can be taken up again."""
        with suppress(SessionError, TimeoutError):
            async with asyncio.timeout(1.0):
                for room in list(self._seated):
                    await self._session.ask(m.Leave(id=self._session.id(), room=room))

    # -- what the server says

    async def _listen(self) -> None:
        async for happening in self._session:
            self._hear(happening)

    def _hear(self, happening: Happening) -> None:
        match happening:
            case Connected():
                self._connected(happening)
            case Lost():
                self._tell(f"{happening.why}; trying again in {happening.seconds:.1f} s")
            case m.Invited():
                self._consider(happening.room)
            case m.LobbyUpdate():
                for info in happening.rooms:
                    self._consider(info)
            case m.Snapshot() | m.Event():
                table = self._session.tables.get(happening.room)
                if table is not None:  # else we have left the room meanwhile
                    self._room_changed(table)
                    if isinstance(happening, m.RematchOffered):
                        self._rematch(table)

    def _connected(self, happening: Connected) -> None:
        you = happening.welcome.you
        if self._state is not None:
            self._state.save(happening.welcome.session)
        if not happening.again:
            self._tell(f"connected to {self._session.url} as {you.name}")
            self._seated.clear()
            for playing in self._playing.values():  # games of somebody whom the server does not know any more
                playing.task.cancel()
        self._seated |= set(happening.welcome.rooms) - set(self._playing)
        if self._open_rooms:
            self._spawn(self._watch_lobby())
        self._looking.set()

    async def _watch_lobby(self) -> None:
        with suppress(SessionError):
            await self._session.ask(m.Lobby(id=self._session.id(), on=True))

    def _room_changed(self, table: Table) -> None:
        room = table.room
        playing = self._playing.get(room)
        if playing is not None:
            playing.hear()
        if table.seat is None:
            return
        if table.status == "waiting":
            self._seated.add(room)
            self._recognise(table)
            return
        self._seated.discard(room)
        self._sought.pop(room, None)
        if table.status == "running" and playing is None:
            self._begin(table)
        elif table.status == "ended" and playing is None:
            self._spawn(self._leave_later(room))
            self._looking.set()

    # -- games

    def _begin(self, table: Table) -> None:
        opponent = "?" if table.opponent is None else table.opponent.name
        self._tell(f"{table.room}: {table.setup.game} as {table.setup.sides[table.seat or 0]} against {opponent}")
        self._playing[table.room] = playing = Playing(
            self._session, table.room, self._maker.make(), self._manners, self._tell
        )
        playing.task.add_done_callback(lambda task: self._ended(table.room, task))
        self._looking.set()

    def _ended(self, room: str, task: asyncio.Task[None]) -> None:
        self._playing.pop(room, None)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._tell(f"{room}: {type(error).__name__}: {error}")
            return
        table = self._session.tables[room]
        outcome = table.outcome()
        if outcome is not None:
            word = "draw" if outcome.winner is None else "won" if outcome.winner == table.seat else "lost"
            word = "no result" if table.result == "*" else word
            self._tell(f"{room}: {word} ({outcome.reason}) after {table.ply} moves")
        self.played += 1
        if self._games is not None and self.played >= self._games and not self._playing:
            self._done.set()
            return
        self._spawn(self._leave_later(room))
        self._looking.set()

    async def _leave_later(self, room: str) -> None:
        await asyncio.sleep(LINGER)
        if room not in self._playing:
            with suppress(SessionError):
                await self._session.ask(m.Leave(id=self._session.id(), room=room))
            self._session.tables.pop(room, None)

    def _rematch(self, table: Table) -> None:
        if table.seat is not None and table.offers.rematch == 1 - table.seat:
            accept = self._policy.rematches and self._free() > 0
            self._spawn(self._answer_rematch(table.room, accept))

    async def _answer_rematch(self, room: str, accept: bool) -> None:
        with suppress(SessionError):
            await self._session.ask(m.Rematch(id=self._session.id(), room=room, accept=accept))

    # -- looking for games

    def _free(self) -> int:
        busy = len(self._playing) + len(self._seated) + len(self._joining)
        left = self._policy.concurrent - busy
        return left if self._games is None else min(left, self._games - self.played - busy)

    def _consider(self, info: m.RoomInfo) -> None:
        self._open[info.room] = info
        self._looking.set()

    async def _look(self) -> None:
        while True:
            await self._looking.wait()
            self._looking.clear()
            me = "" if self._session.welcome is None else self._session.welcome.you.name
            for room, info in list(self._open.items()):
                objection = self._policy.objection(info, me)
                if objection:
                    del self._open[room]
                    if info.invite and info.status == "waiting":
                        self._tell(f"{room}: not joined, {objection}")
                elif self._free() > 0:
                    del self._open[room]
                    await self._join(room)
            for wish in self._unfulfilled():
                if self._free() > 0:
                    await self._seek(wish)

    async def _join(self, room: str) -> None:
        self._joining.add(room)
        try:
            await self._session.ask(m.Join(id=self._session.id(), room=room))
            self._sit(room)
        except SessionError as error:
            self._tell(f"{room}: not joined, {error}")
        finally:
            self._joining.discard(room)

    def _sit(self, room: str) -> None:
        """We have a seat; the news of it may still be on its way to us."""
        table = self._session.tables.get(room)
        if room not in self._playing and (table is None or table.status != "ended"):
            self._seated.add(room)

    def _recognise(self, table: Table) -> None:
        """A room that we looked for in an earlier life."""
        for wish in self._wishes:
            if table.room not in self._sought and wish.made(table.setup):
                self._sought[table.room] = wish
                self._spawn(self._move_on(table.room))

    def _unfulfilled(self) -> list[Wish]:
        """The wishes for which we do not wait in a room already."""
        waiting = [wish for room, wish in self._sought.items() if room in self._seated]
        return [wish for wish in self._wishes if wish not in waiting]

    async def _seek(self, wish: Wish) -> None:
        session = self._session
        common: dict[str, Any] = {
            "id": session.id(), "game": wish.game, "options": wish.options, "clock": wish.clock, "rated": wish.rated
        }  # fmt: skip
        try:
            pair = m.Pair(bot_after=wish.bot_after, **common)
            made = await session.ask(m.Create(invite=wish.whom, **common) if wish.whom else pair)
        except SessionError as error:
            if isinstance(error, Refused) and error.code in HOPELESS:
                raise
            self._tell(f"cannot play {wish.game}: {error}")
            asyncio.get_running_loop().call_later(RETRY, self._looking.set)
            return
        self._sit(made.room)
        self._sought[made.room] = wish
        self._wishes.remove(wish)
        self._wishes.append(wish)  # all in turn
        self._spawn(self._move_on(made.room))

    async def _move_on(self, room: str) -> None:
        """Whoever waits for one game while others wait for another would wait for ever: now and then try the next."""
        await asyncio.sleep(self._rng.uniform(*WAITING))
        if room in self._seated and self._unfulfilled() and self._free() <= 0:
            self._seated.discard(room)
            with suppress(SessionError):
                await self._session.ask(m.Leave(id=self._session.id(), room=room))
            self._looking.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
