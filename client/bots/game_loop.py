"""The game loop of a bot: play one game from its start to its end."""

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
# Refusals of a move after which the view changes, now or soon.
OUTDATED = ("stale", "not_your_turn", "game_over", "too_late", "not_running")
RETRY_LATER = ("unavailable", "rate_limited", "internal", "draining")
RETRY_S = 0.5
CLAIM_INTERVAL_S = 5.0  # between claims of an absent opponent's game
ECHO_TIMEOUT_S = 5.0  # for our own move to come back as an event
DEFAULT_MAX_CHAT_CHARS = 200


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How a bot plays. `move_timeout`: the most seconds for a move. `seconds`: the time it should take.

    `human`: wait as long as a person before each move.
    """

    move_timeout: float = 60.0
    seconds: float | None = None
    human: bool = False
    greeting: str = ""
    takebacks: bool = True
    source: BotSource = field(default_factory=BotSource)


class GameLoop:
    """Plays one game in a task. The owner calls `room_changed` after each event of the room."""

    def __init__(self, session: Session, room: str, bot: Bot, settings: PlaySettings, notify: Notify) -> None:
        self._session, self._room, self._bot, self._settings, self._notify = session, room, bot, settings, notify
        self._rng = Random()
        self._changed = asyncio.Event()
        self._failed_at = -1  # the ply at which the bot failed; it makes no more move there
        self.failed = False  # the bot crashed, hung or made an illegal move
        self.task = asyncio.create_task(self._run())

    @property
    def view(self) -> RoomView:
        return self._session.rooms[self._room]

    def room_changed(self) -> None:
        """Wake the loop after an event."""
        self._changed.set()

    async def _run(self) -> None:
        view = self.view
        game = view.game
        if game is None or view.seat is None:
            return
        opponent = "" if view.opponent is None else view.opponent.name
        try:
            await self._call_hook(lambda: self._bot.started(game, view.seat or 0, opponent))
            if self._settings.greeting and view.ply < 2:
                await self._say(self._settings.greeting)
            while self.view.status == "running":
                await self._step(game)
            outcome = self.view.outcome()
            if outcome is not None:
                await self._call_hook(lambda: self._bot.ended(game, outcome))
        finally:
            self._bot.close()

    async def _step(self, game: Game) -> None:
        view = self.view
        await self._answer_offers()
        if view.my_move and view.ply != self._failed_at:
            await self._move(game)
        else:
            opponent = view.opponent
            absent = opponent is not None and not opponent.online
            await self._wait(CLAIM_INTERVAL_S if absent else None)
            if absent:
                with suppress(SessionError):  # too early, or the opponent is back
                    await self._session.ask(Claim(id=self._session.id(), room=self._room))

    async def _wait(self, seconds: float | None) -> None:
        """Wait for an event of the room, for at most `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        self._changed.clear()

    # -- moves

    async def _move(self, game: Game) -> None:
        view, began, settings = self.view, time.monotonic(), self._settings
        ply = view.ply
        allotted = allot_time(view, began, self._session.latency, settings.move_timeout, settings.seconds)
        budget = self._budget(view, allotted, began)
        thinking = asyncio.ensure_future(request_move(self._bot, game, view.state, budget, settings.source))
        try:
            ours = await self._wait_while_our_move(thinking, ply)
            if not ours and self.view.reason != "time":
                return
            await asyncio.wait({thinking})  # the server may flag us before the bot has reported that it is too slow
            thought = thinking.result()
        except Failure as failure:
            await self._handle_failure(failure, allotted, ply)
            return
        finally:
            thinking.cancel()
            await asyncio.gather(thinking, return_exceptions=True)
        if not ours:
            return
        if settings.human:
            choices, increment = len(game.moves(view.state)), view.setup.clock.increment / 1000
            delay = human_delay(choices, allotted.left, increment, self._rng)
            pause = asyncio.ensure_future(asyncio.sleep(delay - (time.monotonic() - began)))
            if not await self._wait_while_our_move(pause, ply):
                pause.cancel()
                return
        await self._send_move(thought, ply)

    def _budget(self, view: RoomView, allotted: TimeAllotment, now: float) -> Budget:
        return Budget(
            seconds=allotted.seconds,
            deadline=now + allotted.most,
            left=allotted.left,
            increment=view.setup.clock.increment / 1000,
            ply=view.ply,
            side=view.seat or 0,
            opponent="" if view.opponent is None else view.opponent.name,
            room=self._room,
            history=tuple(played.move for played in view.moves),
        )

    async def _wait_while_our_move(self, work: asyncio.Future[Thought] | asyncio.Future[None], ply: int) -> bool:
        """Wait for the work. Return False as soon as it is no longer our move at this ply."""
        while self.view.my_move and self.view.ply == ply:
            await self._answer_offers()
            change = asyncio.ensure_future(self._changed.wait())
            try:
                await asyncio.wait({work, change}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                change.cancel()
            if work.done():
                return self.view.my_move and self.view.ply == ply
            self._changed.clear()
        return False

    async def _send_move(self, thought: Thought, ply: int) -> None:
        session = self._session
        command = Move(id=session.id(), room=self._room, ply=ply, move=str(thought.move), note=clean(str(thought.note)))
        try:
            ok = await session.ask(command)
        except Refused as refused:
            if refused.code in RETRY_LATER:
                await asyncio.sleep(refused.retry_after or RETRY_S)
            elif refused.code in OUTDATED:
                await self._wait(1.0)
            else:
                self.failed = True
                await self._resign(f"the server refuses {thought.move}: {refused}", ply)
            return
        except ReplyTimeout:
            return  # the loop tries again if it is still our move
        while self.view.seq < ok.seq and self.view.ply == ply:
            await self._wait(ECHO_TIMEOUT_S)

    # -- failures

    async def _handle_failure(self, failure: Failure, allotted: TimeAllotment, ply: int) -> None:
        if failure.kind == "stopped":
            return
        self.failed = True
        where = f"; crash report in {failure.evidence}" if failure.evidence else ""
        self._notify(f"{self._room} ply {ply + 1}: {failure.kind}: {failure}{where}")
        if self.view.status == "ended" or (failure.kind == "timeout" and allotted.by_clock):
            self._failed_at = ply  # the server has flagged us, or we wait for that
            await self._say(f"{failure.kind}: {failure}")
        elif failure.move and self.view.setup.illegal:
            await self._send_illegal_move(failure, ply)
        else:
            await self._resign(f"{failure.kind}: {failure}", ply)

    async def _send_illegal_move(self, failure: Failure, ply: int) -> None:
        """Let the server count the illegal move, as the rules of this room ask."""
        session = self._session
        with suppress(SessionError):
            await session.ask(Move(id=session.id(), room=self._room, ply=ply, move=failure.move[:40]))
        await self._wait(0.2)

    async def _resign(self, reason: str, ply: int) -> None:
        self._failed_at = ply
        await self._say(f"I resign. {reason}")
        with suppress(SessionError):
            await self._session.ask(Resign(id=self._session.id(), room=self._room))

    # -- offers, chat, hooks

    async def _answer_offers(self) -> None:
        view, session, me = self.view, self._session, self.view.seat
        with suppress(SessionError):
            if view.offers.draw is not None and view.offers.draw != me:
                await session.ask(AnswerDraw(id=session.id(), room=self._room, accept=False))
            if view.offers.takeback is not None and view.offers.takeback != me:
                accept = self._settings.takebacks and not view.setup.rated
                ply = view.last_turn(view.offers.takeback)
                await session.ask(Takeback(id=session.id(), room=self._room, accept=accept, ply=ply))

    async def _say(self, text: str) -> None:
        welcome = self._session.welcome
        limit = DEFAULT_MAX_CHAT_CHARS if welcome is None else welcome.limits.text_length
        with suppress(SessionError):
            await self._session.ask(Say(id=self._session.id(), room=self._room, text=clean(text, limit)))

    async def _call_hook(self, hook: Callable[[], None]) -> None:
        """Run started() or ended() in a thread. An error there is reported and does not end the game."""
        try:
            async with asyncio.timeout(self._settings.move_timeout):
                await in_thread(hook)
        except Exception as error:
            self._notify(f"{self._room}: {type(error).__name__}: {error}")
