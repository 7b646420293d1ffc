"""Numbers of a hostile server: seats, plies and lengths that do not exist end no client with a traceback."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from msgspec.structs import replace

from client.presentation.launch_plan import LaunchPlan
from client.sdk.events import Disconnected
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.render.appearance import Appearance
from protocol.commands import Watch
from protocol.replies import Snapshot, Welcome
from tests.e2e.hostile_server import FOREIGN, KNOWN, HostileServer
from tests.e2e.test_hostile_texts import terminal
from tests.e2e.tui import settled
from tests.waiting import TIMEOUT_S

NUMBERS: dict[str, dict[str, Any]] = {
    "turn": {"turn": 5},
    "negative turn": {"turn": -1},
    "negative ply": {"ply": -1},
    "your seat": {"your_seat": 2},
    "winner": {"winner": 7, "status": "ended"},
    "running clock": {"running": -3},
    "one seat": {"seats": (None,)},
    "three seats": {"seats": (None, None, None)},
    "one clock": {"left": (5,)},
    "one claim": {"claim_at": (1,)},
}


class WrongNumbers(HostileServer):
    """Puts wrong numbers into every snapshot."""

    def __init__(self, changes: dict[str, Any]) -> None:
        super().__init__("x")
        self._changes = changes

    def snapshot(self, room: str) -> Snapshot:
        return replace(super().snapshot(room), **self._changes)


@pytest.mark.parametrize("changes", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("room", [KNOWN, FOREIGN])
async def test_session_drops_the_connection_and_goes_on(changes: dict[str, Any], room: str) -> None:
    async with WrongNumbers(changes).open() as server, Session(server.url, name="ann") as session:
        watching = asyncio.create_task(session.ask(Watch(id=session.id(), room=room)))
        async with asyncio.timeout(TIMEOUT_S):
            lost = await anext(event async for event in session if isinstance(event, Disconnected))
        assert "not a message from a server" in lost.reason
        assert room not in session.rooms
        watching.cancel()


LIMITS: dict[str, dict[str, Any]] = {
    "no messages": {"messages_per_second": 0},
    "negative rate": {"messages_per_second": -1},
    "not a number": {"messages_per_second": math.nan},
    "no burst": {"burst": 0},
    "negative weight": {"weights": {"watch": -5}},
}


class WrongLimits(HostileServer):
    """Welcomes clients with limits that allow nothing."""

    def __init__(self, changes: dict[str, Any]) -> None:
        super().__init__("x")
        self._changes = changes

    def welcome(self, id: int) -> Welcome:
        welcome = super().welcome(id)
        return replace(welcome, limits=replace(welcome.limits, **self._changes))


@pytest.mark.parametrize("changes", LIMITS.values(), ids=LIMITS)
async def test_session_is_not_opened_with_limits_that_cannot_be(changes: dict[str, Any]) -> None:
    async with WrongLimits(changes).open() as server:
        session = Session(server.url, name="ann")
        session.start()
        async with asyncio.timeout(TIMEOUT_S):
            lost = await anext(event async for event in session if isinstance(event, Disconnected))
        assert "not a message from a server" in lost.reason
        await session.close()


async def test_terminal_client_stays_when_a_snapshot_cannot_be_read() -> None:
    async with WrongNumbers({"turn": 5}).open() as server:
        app = ParlourApp(LaunchPlan("watch", url=server.url, name="alice", rooms=(KNOWN,)), Appearance())
        async with terminal(app) as pilot:
            await settled(pilot, "the client has reconnected", lambda: len(server._connections) > 1)
            assert app.is_running
