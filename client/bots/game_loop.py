"""One game of a bot, from its start to its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from client.bots.move_request import BotSource, request_move
from client.bots.time_management import TimeAllotment, allot_time, human_delay
from client.programs.failure import Failure
from client.sdk.bot import Bot, Budget, Thought
from client.sdk.errors import Refused, ReplyTimeout, SessionError
from client.sdk.note import clean
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from engine.game import Game
from protocol.commands import AnswerDraw, Claim, Move, Resign, Say, Takeback
from runtime.threads import in_thread

Notify = Callable[[str], None]
AGAIN = ("stale", "not_your_turn", "game_over", "too_late", "not_running")  # the table knows better, or soon will
LATER = ("unavailable", "rate_limited", "internal", "draining")


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How a bot plays. `move_timeout`: the most seconds for a move; `seconds`: the time it should take."""

    move_timeout: float = 60.0
    seconds: float | None = None
    human: bool = False
    greeting: str = ""
    takebacks: bool = True
    source: BotSource = field(default_factory=BotSource)


class GameLoop:
    def __init__(self, session: Session, room: str, bot: Bot, settings: PlaySettings, tell: Notify) -> None:
        self._session, self._room, self._bot, self._settings, self._tell = session, room, bot, settings, tell
        self._rng = Random()
        self._changed = asyncio.Event()
        self._failed_at = -1  # the ply at which the bot has failed, and waits for the end
        self.task = asyncio.create_task(self._play())

    @property
    def table(self) -> RoomView:
        return self._session.rooms[self._room]

    def hear(self) -> None:
        """Something has happened in the room."""
        self._changed.set()

    async def _play(self) -> None:
        table = self.table
        game = table.game
        if game is None or table.seat is None:
            return
        opponent = "" if table.opponent is None else table.opponent.name
        try:
            await self._hook(lambda: self._bot.started(game, table.seat or 0, opponent))
            if self._settings.greeting and table.ply < 2:
                await self._say(self._settings.greeting)
            while self.table.status == "running":
                await self._step(game)
            outcome = self.table.outcome()
            if outcome is not None:
                await self._hook(lambda: self._bot.ended(game, outcome))
        finally:
            self._bot.close()

    async def _step(self, game: Game) -> None:
        table = self.table
        await self._answer_offers()
        if table.my_move and table.ply != self._failed_at:
            await self._move(game)
        else:
            opponent = table.opponent
            gone = opponent is not None and not opponent.online
            await self._wait(5.0 if gone else None)
            if gone:
                with suppress(SessionError):  # too early, or back again
                    await self._session.ask(Claim(id=self._session.id(), room=self._room))

    async def _wait(self, seconds: float | None) -> None:
        """Until something happens in the room."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        self._changed.clear()

    # -- a move

    async def _move(self, game: Game) -> None:
        table, began = self.table, time.monotonic()
        ply, allowed = table.ply, allot_time(
            table, began, self._session.latency, self._settings.move_timeout, self._settings.seconds
        )  # fmt: skip
        budget = self._budget(table, allowed, began)
        thinking = asyncio.ensure_future(request_move(self._bot, game, table.state, budget, self._settings.source))
        try:
            if not await self._still_ours(thinking, ply):
                return
            thought = thinking.result()
        except Failure as failure:
            await self._failed(failure, allowed, ply)
            return
        finally:
            thinking.cancel()
            await asyncio.gather(thinking, return_exceptions=True)
        if self._settings.human:
            delay = human_delay(
                len(game.moves(table.state)), allowed.left, table.setup.clock.increment / 1000, self._rng
            )
            pause = asyncio.ensure_future(asyncio.sleep(delay - (time.monotonic() - began)))
            if not await self._still_ours(pause, ply):
                pause.cancel()
                return
        await self._send(thought, ply)

    def _budget(self, table: RoomView, allowed: TimeAllotment, now: float) -> Budget:
        return Budget(
            seconds=allowed.seconds,
            deadline=now + allowed.most,
            left=allowed.left,
            increment=table.setup.clock.increment / 1000,
            ply=table.ply,
            side=table.seat or 0,
            opponent="" if table.opponent is None else table.opponent.name,
            room=self._room,
            history=tuple(played.move for played in table.moves),
        )

    async def _still_ours(self, work: asyncio.Future[Thought] | asyncio.Future[None], ply: int) -> bool:
        """Wait for work that makes sense only as long as it is our move at this ply; whether it does still."""
        while self.table.my_move and self.table.ply == ply:
            await self._answer_offers()
            hearing = asyncio.ensure_future(self._changed.wait())
            try:
                await asyncio.wait({work, hearing}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                hearing.cancel()
            if work.done():
                return self.table.my_move and self.table.ply == ply
            self._changed.clear()
        return False

    async def _send(self, thought: Thought, ply: int) -> None:
        session = self._session
        command = Move(id=session.id(), room=self._room, ply=ply, move=str(thought.move), note=clean(str(thought.note)))
        try:
            ok = await session.ask(command)
        except Refused as refused:
            if refused.code in LATER:
                await asyncio.sleep(refused.retry_after or 0.5)
            elif refused.code in AGAIN:
                await self._wait(1.0)
            else:
                await self._give_up(f"the server refuses {thought.move}: {refused}", ply)
            return
        except ReplyTimeout:
            return  # once more, if it is still our move
        while self.table.seq < ok.seq and self.table.ply == ply:
            await self._wait(5.0)

    # -- trouble

    async def _failed(self, failure: Failure, allowed: TimeAllotment, ply: int) -> None:
        if failure.kind == "stopped":
            return
        where = f"; evidence in {failure.evidence}" if failure.evidence else ""
        self._tell(f"{self._room} ply {ply + 1}: {failure.kind}: {failure}{where}")
        if failure.kind == "timeout" and allowed.by_clock:
            self._failed_at = ply  # the clock has the last word
            await self._say(f"{failure.kind}: {failure}")
        elif failure.move and self.table.setup.illegal:
            await self._foul(failure, ply)
        else:
            await self._give_up(f"{failure.kind}: {failure}", ply)

    async def _foul(self, failure: Failure, ply: int) -> None:
        """In this room the server counts illegal moves: it is to see this one."""
        session = self._session
        with suppress(SessionError):
            await session.ask(Move(id=session.id(), room=self._room, ply=ply, move=failure.move[:40]))
        await self._wait(0.2)

    async def _give_up(self, why: str, ply: int) -> None:
        self._failed_at = ply
        await self._say(f"I resign. {why}")
        with suppress(SessionError):
            await self._session.ask(Resign(id=self._session.id(), room=self._room))

    # -- manners

    async def _answer_offers(self) -> None:
        table, session, me = self.table, self._session, self.table.seat
        with suppress(SessionError):
            if table.offers.draw is not None and table.offers.draw != me:
                await session.ask(AnswerDraw(id=session.id(), room=self._room, accept=False))
            if table.offers.takeback is not None and table.offers.takeback != me:
                accept = self._settings.takebacks and not table.setup.rated
                ply = table.last_turn(table.offers.takeback)
                await session.ask(Takeback(id=session.id(), room=self._room, accept=accept, ply=ply))

    async def _say(self, text: str) -> None:
        limit = 200 if self._session.welcome is None else self._session.welcome.limits.text_length
        with suppress(SessionError):
            await self._session.ask(Say(id=self._session.id(), room=self._room, text=clean(text, limit)))

    async def _hook(self, work: Callable[[], None]) -> None:
        """started() and ended() are the bot's own code too; they may fail without costing the game."""
        try:
            async with asyncio.timeout(self._settings.move_timeout):
                await in_thread(work)
        except Exception as error:
            self._tell(f"{self._room}: {type(error).__name__}: {error}")
