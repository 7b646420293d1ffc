from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

import pytest

from protocol.commands import Create, Move
from protocol.replies import Closing
from protocol.types import Player
from server import server as server_module
from server.storage.interface import Unavailable
from server.transport.connection import Connection
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, EVE, NOW
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import BLITZ, start_game
from tests.waiting import TIMEOUT_S

DISK_FULL = Unavailable("the disk is full")


class FakeConnection(RecordingClient):
    """A recording client with what the sweep needs of a connection."""

    def __init__(self, player: Player | None, timeout: str | None = None) -> None:
        super().__init__(player)
        self.timeout = timeout

    def timeout_reason(self, now: float) -> str | None:
        return self.timeout


def connect(server: Harness, player: Player | None, timeout: str | None = None) -> FakeConnection:
    client = FakeConnection(player, timeout)
    if player is not None:
        server.app.presence.add(client)
    server.app.server.connections.add(cast(Connection, client))
    return client


@asynccontextmanager
async def sweeping(server: Harness) -> AsyncIterator[asyncio.Queue[None]]:
    """Run the sweep. The queue gets an item at the start of each one."""
    sweeps: asyncio.Queue[None] = asyncio.Queue()
    server.app.matchmaker.sweep = lambda: sweeps.put_nowait(None)  # type: ignore[method-assign]
    task = asyncio.create_task(server.app.server.run())
    try:
        yield sweeps
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def run_sweeps(server: Harness, count: int = 1) -> None:
    """Run the sweep this many times to its end."""
    async with sweeping(server) as sweeps:
        for _ in range(count + 1):  # the start of the next one is the end of this one
            await asyncio.wait_for(sweeps.get(), TIMEOUT_S)


@pytest.fixture
async def server(build: Build) -> Harness:
    return await build(sweep=0.01)


# -- start


async def test_silent_client_is_disconnected(server: Harness) -> None:
    silent, active = connect(server, None, "no hello"), connect(server, ANN)
    await run_sweeps(server)
    assert (silent.closed, active.closed) == ((1008, "no hello"), None)


async def test_clients_of_revoked_accounts_are_disconnected(server: Harness) -> None:
    await server.store.add_account("ann", "p-account", "token", NOW)
    client = connect(server, Player(id="p-account", name="ann", account=True))
    account = await server.store.account_of_token("token")
    assert account is not None
    client.account_change = account.change
    await run_sweeps(server)
    assert client.closed is None
    await server.store.revoke_account("ann", NOW)
    await run_sweeps(server)
    assert client.closed == (1008, "your account has been revoked")


async def test_heartbeat_is_written_while_a_game_runs(server: Harness) -> None:
    await run_sweeps(server)
    assert await server.store.last_alive() is None
    await start_game(server)
    await run_sweeps(server)
    assert await server.store.last_alive() == server.clock()


async def test_failed_heartbeat_stops_the_clocks(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    server.store.write_error = DISK_FULL
    await run_sweeps(server)
    assert server.app.status.store_error == str(DISK_FULL)
    due = live.deadline
    assert due is not None
    server.clock.advance(5000)
    server.store.write_error = None
    monkeypatch.setattr(server_module, "STORE_RECOVERY_S", 0.0)
    await run_sweeps(server, 2)
    assert server.app.status.store_error == ""
    assert live.deadline == due + 5000


async def test_store_that_refused_a_write_lately_is_not_healthy(server: Harness) -> None:
    await start_game(server)
    server.app.status.store_failed(DISK_FULL)
    server.app.metrics.refusals["unavailable"] += 1
    await run_sweeps(server, 2)
    assert server.app.status.store_error == str(DISK_FULL)


async def test_sweep_reports_the_progress_of_games(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    eve = server.connect(EVE)
    server.app.feed.enter(eve)
    await run_sweeps(server)
    server.app.feed.flush()
    assert [update.plies for update in eve.lobby] == [{live.room.id: 1}]


async def test_sweep_goes_on_after_a_bug(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(server.app.progress, "report", broken)
    await run_sweeps(server, 2)


async def test_sweep_of_one_of_several_nodes_sends_a_heartbeat(build: Build) -> None:
    server = await build(shared=True, sweep=0.01)
    await run_sweeps(server)
    assert await server.store.last_alive() == server.clock()
    server.store.read_error = server.store.write_error = DISK_FULL
    connect(server, ANN)
    await run_sweeps(server)
    assert server.app.status.store_error == str(DISK_FULL)


# -- drain


async def test_drain_tells_clients_and_finishes_what_has_begun(server: Harness) -> None:
    ann = connect(server, ANN)
    work = server.app.dispatcher.receive(ann, Create(id=1, game="conga"))
    assert work is not None
    server.app.tasks.start(work)
    await server.app.server.drain()
    assert server.app.status.draining
    assert [closing.retry_after for closing in ann.of(Closing)] == [1.0]
    assert ann.answer(1).room in server.app.registry.rooms
    assert await server.store.last_alive() == server.clock()


async def test_drain_ends_even_if_the_store_fails(server: Harness, caplog: pytest.LogCaptureFixture) -> None:
    server.store.write_error = DISK_FULL
    await server.app.server.drain()
    assert server.app.status.draining
    assert "store_failed" in caplog.text


async def test_drain_rejects_writes_after_a_failure_and_waits_for_the_others(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, ann, _ = await start_game(server)
    calls: list[str] = []
    monkeypatch.setattr(server.store, "fail_fast", lambda: calls.append("fail_fast"))
    server.send(ann, Move, room=live.room.id, ply=0, move="a1")
    assert live.busy
    await server.app.server.drain()
    assert calls == ["fail_fast"]
    assert (live.busy, live.room.ply) == (False, 1)


async def test_connections_without_a_request_are_aborted(server: Harness) -> None:
    aborted: list[str] = []

    class Handshake:
        transport: Any = type("Transport", (), {"abort": lambda self: aborted.append("aborted")})()

    server.app.server.handshaking.add(cast(Connection, Handshake()))
    server.app.server.abort_handshakes()
    assert aborted == ["aborted"]


# -- what connections and the metrics page need


async def test_gauges_count_connections_and_waiting_work(server: Harness) -> None:
    live, _, _ = await start_game(server)
    client = connect(server, ANN)
    client.unread_bytes = 70
    live.queue.append(object())
    gauges = server.app.server.gauges()
    assert (gauges["connections"], gauges["room_queue_length"], gauges["send_queue_bytes"]) == (1, 1, 70)
    assert (gauges["bus_up"], gauges["bus_lost_messages"], gauges["store_queue_length"]) == (1, 0, 0)
    assert server.app.server.rooms() == {("cohcoh", "running"): 1}
    live.queue.clear()


async def test_disconnected_client_is_removed_once(server: Harness) -> None:
    client = connect(server, ANN)
    connection = cast(Connection, client)
    server.app.feed.enter(client)
    assert server.app.server.awaits_events(connection)
    for _ in range(2):
        server.app.server.disconnected(connection)
    assert server.app.server.connections == set()
    assert not server.app.server.awaits_events(connection)
    assert not server.app.presence.is_here("ann")
