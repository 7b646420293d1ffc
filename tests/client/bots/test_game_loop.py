from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from client.bots.game_loop import GameLoop, PlaySettings
from client.bots.move_request import BotSource
from client.programs.failure import Failure
from client.sdk.bot import Bot, Budget
from client.sdk.errors import Refused
from client.sdk.session import Session
from engine.game import Game, Outcome, State
from protocol.commands import AnswerDraw, Move, OfferDraw, Resign, Say, Takeback
from tests.client.bots.fake_session import FakeSession
from tests.client.sdk.fake_transport import refusal
from tests.client.sdk.room_log import ALICE, BOB, RoomLog
from tests.waiting import TIMEOUT_S, settle, until


class Recorder(Bot):
    """Plays the first legal move. `fail`: raise an error instead."""

    fail = False

    def __init__(self) -> None:
        self.calls: list[str] = []

    def started(self, game: Game, side: int, opponent: str) -> None:
        self.calls.append(f"started {side} {opponent}")

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        if self.fail:
            raise KeyError("x")
        self.calls.append(f"choose {budget.ply} {budget.opponent}")
        return game.moves(state)[0]

    def ended(self, game: Game, outcome: Outcome) -> None:
        self.calls.append(f"ended {outcome.reason}")

    def close(self) -> None:
        self.calls.append("close")


class LateBot(Recorder):
    """Notices that it is too slow only when the server has flagged it."""

    def __init__(self) -> None:
        super().__init__()
        self.thinking, self.flagged = threading.Event(), threading.Event()

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        self.thinking.set()
        assert self.flagged.wait(TIMEOUT_S)
        if budget.cancelled.is_set():
            raise Failure("stopped", "the answer is no longer needed")
        raise Failure("timeout", "no answer after 61.0 s")


class Fixture:
    """A bot on seat 0 of a running game."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.log, self.session, self.lines = RoomLog(), FakeSession(), list[str]()
        self.bot = Recorder()
        self.settings = PlaySettings(source=BotSource(("mine.py",), folder), **settings)
        self.sent = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[GameLoop]:
        self.session.rooms.apply_snapshot(self.log.snapshot(-1), time.monotonic())
        self.sent = len(self.log.events)
        loop = GameLoop(cast(Session, self.session), "r", self.bot, self.settings, self.lines.append)
        try:
            yield loop
        finally:
            loop.task.cancel()
            await asyncio.gather(loop.task, return_exceptions=True)

    def deliver(self, loop: GameLoop) -> None:
        """Pass the new events of the room to the bot."""
        for event in self.log.events[self.sent :]:
            assert self.session.rooms.apply_event(event, time.monotonic())
        self.sent = len(self.log.events)
        loop.room_changed()


async def test_bot_moves_on_its_turn_until_the_game_ends(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    async with fixture.running() as loop:
        await until("the bot sends Move", lambda: fixture.session.of_type(Move))
        move = fixture.session.of_type(Move)[0]
        fixture.log.do(ALICE, move)
        fixture.deliver(loop)
        fixture.log.move(random.Random(1))
        fixture.deliver(loop)
        await until("the bot sends another Move", lambda: fixture.session.of_type(Move)[1:])
        fixture.log.do(BOB, Resign(id=1, room="r"))
        fixture.deliver(loop)
        await asyncio.wait_for(loop.task, TIMEOUT_S)
    assert [command.ply for command in fixture.session.of_type(Move)][:2] == [0, 2]
    assert fixture.bot.calls[0] == "started 0 bob"
    assert "choose 2 bob" in fixture.bot.calls
    assert fixture.bot.calls[-2:] == ["ended resigned", "close"]


async def test_bot_greets_at_the_start(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path, greeting="good luck")
    async with fixture.running():
        await until("the bot sends Say", lambda: fixture.session.of_type(Say))
    assert fixture.session.of_type(Say)[0].text == "good luck"


async def test_draw_is_declined_and_takeback_accepted(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    fixture.log.move(random.Random(1))
    fixture.log.move(random.Random(1))
    fixture.log.move(random.Random(1))
    async with fixture.running() as loop:
        for offer in (OfferDraw(id=1, room="r"), Takeback(id=1, room="r")):
            fixture.log.do(BOB, offer)
        fixture.deliver(loop)
        await until("the bot sends Takeback", lambda: fixture.session.of_type(Takeback))
    assert not fixture.session.of_type(AnswerDraw)[0].accept
    takeback = fixture.session.of_type(Takeback)[0]
    assert (takeback.accept, takeback.ply) == (True, 1)


async def test_failing_bot_resigns_with_the_reason(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    fixture.bot.fail = True
    async with fixture.running():
        await until("the bot sends Resign", lambda: fixture.session.of_type(Resign))
    assert fixture.session.of_type(Say)[0].text == "I resign. error: KeyError: 'x'"
    assert fixture.lines[0].startswith("r ply 1: error: KeyError: 'x'; crash report in ")


async def test_timeout_is_reported_after_the_server_has_flagged_the_bot(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    fixture.bot = late = LateBot()
    async with fixture.running() as loop:
        await until("the bot thinks", late.thinking.is_set)
        fixture.log.now += 100_000
        fixture.log.do(ALICE, Move(id=1, room="r", ply=0, move="a4a3"))
        fixture.deliver(loop)
        assert loop.view.reason == "time"
        await settle()
        late.flagged.set()
        await asyncio.wait_for(loop.task, TIMEOUT_S)
    assert loop.failed
    assert fixture.lines == ["r ply 1: timeout: no answer after 61.0 s"]
    assert [command.text for command in fixture.session.of_type(Say)] == ["timeout: no answer after 61.0 s"]
    assert not fixture.session.of_type(Resign)


async def test_move_is_sent_again_after_a_temporary_refusal(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    fixture.session.refuse = lambda command: (
        Refused(refusal("unavailable", retry_after=0.01)) if isinstance(command, Move) and command.id == 1 else None
    )
    async with fixture.running():
        await until("the bot sends another Move", lambda: fixture.session.of_type(Move)[1:])
    first, second = fixture.session.of_type(Move)[:2]
    assert (first.ply, first.move) == (second.ply, second.move)


async def test_permanent_refusal_of_a_move_resigns(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path)
    fixture.session.refuse = lambda command: Refused(refusal("bad_request")) if isinstance(command, Move) else None
    async with fixture.running():
        await until("the bot sends Resign", lambda: fixture.session.of_type(Resign))
    assert "the server refuses" in fixture.session.of_type(Say)[0].text
