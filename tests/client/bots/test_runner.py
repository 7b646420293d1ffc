from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from client.bots.factory import class_factory
from client.bots.game_loop import PlaySettings
from client.bots.policy import Policy
from client.bots.runner import Runner
from client.sdk.bot import Bot, Budget
from client.sdk.credentials import CredentialsFile
from client.sdk.events import Connected, Disconnected
from client.sdk.session import Session
from engine.game import Game, State
from protocol.commands import Leave, Lobby, Rematch, Resign
from tests.client.bots.fake_session import FakeSession
from tests.client.sdk.fake_transport import welcome
from tests.client.sdk.room_log import ALICE, BOB, RoomLog
from tests.waiting import TIMEOUT_S, settle


class Slow(Bot):
    def choose(self, game: Game, state: State, budget: Budget) -> int:
        budget.cancelled.wait(TIMEOUT_S)
        return game.moves(state)[0]


class Fixture:
    def __init__(self, **more: Any) -> None:
        self.session, self.lines, self.log = FakeSession(), list[str](), RoomLog()
        self.sent = 0
        self.runner = Runner(
            cast(Session, self.session),
            class_factory(Slow),
            Policy(("conga",)),
            PlaySettings(),
            self.lines.append,
            **more,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[None]]:
        task = asyncio.create_task(self.runner.run())
        try:
            self.session.push(Connected(welcome("me", session="secret"), again=False))
            await settle()
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def start_game(self) -> None:
        snapshot = self.log.snapshot(-1)
        self.session.rooms.apply_snapshot(snapshot, time.monotonic())
        self.sent = len(self.log.events)
        self.session.push(snapshot)
        await settle()

    async def deliver(self) -> None:
        """Pass the new events of the room to the runner."""
        for event in self.log.events[self.sent :]:
            self.session.rooms.apply_event(event, 0.0)
            self.session.push(event)
        self.sent = len(self.log.events)
        await settle()


async def test_connection_changes_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    credentials = CredentialsFile(path)
    credentials.open()
    fixture = Fixture(credentials=credentials, open_rooms=True)
    async with fixture.running():
        fixture.session.push(Disconnected("the server closed the connection", 1.5))
        await settle()
    credentials.close()
    assert fixture.lines == [
        "connected to ws://example.org/ws as me",
        "the server closed the connection; trying again in 1.5 s",
    ]
    assert path.read_text() == '{"session": "secret"}'
    assert fixture.session.of_type(Lobby)


async def test_runner_ends_after_its_games() -> None:
    fixture = Fixture(games=1)
    async with fixture.running() as task:
        await fixture.start_game()
        assert "r: conga as" in fixture.lines[-1]
        assert fixture.lines[-1].endswith("against bob")
        fixture.log.do(BOB, Resign(id=1, room="r"))
        await fixture.deliver()
        await asyncio.wait_for(task, TIMEOUT_S)
    assert fixture.runner.played == 1
    assert fixture.lines[-1] == "r: You win: bob resigned, after 0 moves"


async def test_finished_room_is_left_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.runner.LEAVE_AFTER_S", 0.0)
    fixture = Fixture()
    fixture.log.do(ALICE, Resign(id=1, room="r"))
    async with fixture.running():
        await fixture.start_game()
        await settle()
    assert [leave.room for leave in fixture.session.of_type(Leave)] == ["r"]
    assert "r" not in fixture.session.rooms


async def test_rematch_is_accepted_if_a_place_is_free() -> None:
    fixture = Fixture()
    fixture.log.do(ALICE, Resign(id=1, room="r"))
    async with fixture.running():
        await fixture.start_game()
        fixture.log.do(BOB, Rematch(id=1, room="r"))
        await fixture.deliver()
    assert [rematch.accept for rematch in fixture.session.of_type(Rematch)] == [True]


async def test_stop_ends_the_run() -> None:
    fixture = Fixture()
    async with fixture.running() as task:
        fixture.runner.stop()
        await asyncio.wait_for(task, TIMEOUT_S)
    assert fixture.runner.played == 0
