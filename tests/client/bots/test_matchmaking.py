from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest

from client.bots.matchmaking import Matchmaking
from client.bots.policy import Policy, Seek
from client.sdk.errors import Refused
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from protocol.commands import Create, Join, Leave, Pair
from protocol.types import RoomInfo, Seat, TimeControl
from runtime.tasks import BackgroundTasks
from tests.client.bots.fake_session import FakeSession
from tests.client.sdk.fake_transport import refusal
from tests.client.sdk.room_log import FISCHER, RoomLog
from tests.waiting import settle

NONE = TimeControl()
MANCALA, CONGA = Seek("mancala", {}, NONE), Seek("conga", {}, NONE)


class Fixture:
    def __init__(self, *seeks: Seek, concurrent: int = 2, games_left: int = 99) -> None:
        self.session, self.lines = FakeSession(), list[str]()
        self.playing: set[str] = set()
        self.tasks = BackgroundTasks()
        self.matchmaking = Matchmaking(
            cast(Session, self.session), Policy(("conga", "mancala"), concurrent=concurrent), seeks, self.lines.append,
            self.tasks, self.playing, lambda: games_left,
        )  # fmt: skip

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[None]]:
        running = asyncio.create_task(self.matchmaking.run())
        try:
            yield running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await self.tasks.cancel()


def room(name: str, game: str = "conga", invite: str = "") -> RoomInfo:
    seats = (Seat(player="a", name="alice"), None)
    return RoomInfo(
        room=name, game=game, options={}, clock=NONE, status="waiting", seats=seats, created_at=0, invite=invite
    )


async def test_acceptable_room_is_joined() -> None:
    fixture = Fixture()
    async with fixture.running():
        fixture.matchmaking.consider(room("a"))
        await settle()
    assert [join.room for join in fixture.session.of_type(Join)] == ["a"]


async def test_declined_invitation_is_reported() -> None:
    fixture = Fixture()
    async with fixture.running():
        fixture.matchmaking.consider(room("a", game="cohcoh", invite="me"))
        fixture.matchmaking.consider(room("b", game="cohcoh"))
        await settle()
    assert fixture.session.asked == []
    assert fixture.lines == ["a: not joined, cohcoh is not one of its games"]


async def test_rooms_wait_until_there_is_a_free_place() -> None:
    fixture = Fixture(concurrent=1)
    fixture.playing.add("running")
    async with fixture.running():
        fixture.matchmaking.consider(room("a"))
        await settle()
        assert fixture.session.asked == []
        fixture.playing.clear()
        fixture.matchmaking.wake()
        await settle()
        assert [join.room for join in fixture.session.of_type(Join)] == ["a"]
        assert fixture.matchmaking.free == 0


def test_free_places_are_limited_by_the_games_left() -> None:
    fixture = Fixture(concurrent=4, games_left=3)
    fixture.playing.add("running")
    assert fixture.matchmaking.free == 2


async def test_seek_pairs_with_any_opponent_or_invites_one() -> None:
    fixture = Fixture(CONGA, Seek("mancala", {}, NONE, opponent="bob"))
    async with fixture.running():
        fixture.matchmaking.connected((), again=False)
        await settle()
    assert [pair.game for pair in fixture.session.of_type(Pair)] == ["conga"]
    assert [(create.game, create.invite) for create in fixture.session.of_type(Create)] == [("mancala", "bob")]


async def test_seeks_wait_for_the_snapshots_of_resumed_rooms() -> None:
    fixture, log = Fixture(Seek("conga", {}, FISCHER), MANCALA), RoomLog()
    async with fixture.running():
        fixture.matchmaking.connected(("r",), again=False)
        await settle()
        assert fixture.session.asked == []
        fixture.matchmaking.waiting(RoomView(log.snapshot(0), now=0.0))
        await settle()
    assert [pair.game for pair in fixture.session.of_type(Pair)] == ["mancala"]


async def test_seeks_do_not_wait_forever_for_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SNAPSHOT_TIMEOUT_S", 0.0)
    fixture = Fixture(CONGA)
    async with fixture.running():
        fixture.matchmaking.connected(("unknown",), again=False)
        await settle()
    assert [pair.game for pair in fixture.session.of_type(Pair)] == ["conga"]


async def test_permanent_refusal_of_a_seek_is_raised() -> None:
    fixture = Fixture(CONGA)
    fixture.session.refuse = lambda command: Refused(refusal("bad_options"))
    async with fixture.running() as running:
        fixture.matchmaking.wake()
        await settle()
        with pytest.raises(Refused):
            running.result()


async def test_temporary_refusal_of_a_seek_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.RETRY_S", 0.0)
    fixture = Fixture(CONGA, concurrent=1)
    fixture.session.refuse = lambda command: Refused(refusal("draining")) if command.id == 1 else None
    async with fixture.running():
        fixture.matchmaking.wake()
        await settle()
    assert [pair.id for pair in fixture.session.of_type(Pair)] == [1, 2]
    assert fixture.lines == ["cannot play conga: refused: draining"]


async def test_next_seek_takes_the_place_of_one_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.0, 0.0))
    fixture = Fixture(CONGA, MANCALA, concurrent=1)
    async with fixture.running():
        fixture.matchmaking.wake()
        await settle()
    assert [pair.game for pair in fixture.session.of_type(Pair)][:2] == ["conga", "mancala"]
    assert fixture.session.of_type(Leave)


async def test_waiting_rooms_are_left_at_the_end() -> None:
    fixture = Fixture()
    fixture.playing.add("running")
    fixture.matchmaking.connected(("running", "waiting"), again=True)
    await fixture.matchmaking.leave()
    assert [leave.room for leave in fixture.session.of_type(Leave)] == ["waiting"]
