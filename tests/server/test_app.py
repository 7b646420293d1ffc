from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from protocol.codec import JSON
from protocol.commands import Create, Hello
from server import server as server_module
from server.app import App, open_bus, running, serve_until_stopped
from server.cluster.bus import BusError, LocalBus
from server.cluster.mqtt.bus import MqttBus
from server.config import Settings
from server.metrics import Metrics
from server.storage.interface import Store, StoreError
from tests.server.fakes import ManualClock, SteppedStore


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(port=0, db=str(tmp_path / "parlour.db"), sweep=3600.0)


async def test_clients_are_told_of_the_restart_and_disconnected(settings: Settings) -> None:
    async with running(settings) as server:
        client = await connect(server.url, subprotocols=[JSON.subprotocol])  # type: ignore[list-item]
        await client.send(JSON.encode(Hello(id=1, name="ann")).decode())
        assert '"type":"welcome"' in str(await client.recv())
        assert len(server.app.server.connections) == 1
    assert '"type":"closing"' in str(await client.recv())
    with pytest.raises(ConnectionClosed):
        await client.recv()
    assert client.close_code == 1012
    with pytest.raises(OSError):
        await connect(server.url)


async def test_rooms_survive_a_restart(settings: Settings) -> None:
    async with running(settings) as server, connect(server.url, subprotocols=[JSON.subprotocol]) as client:  # type: ignore[list-item]
        for command in (Hello(id=1, name="ann"), Create(id=2, game="conga")):
            await client.send(JSON.encode(command).decode())
            await client.recv()
        (name,) = server.app.registry.rooms
    async with running(settings) as server:
        assert list(server.app.registry.rooms) == [name]


async def test_store_is_closed_if_the_server_cannot_start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(registry: object, node: str, alone: bool) -> None:
        raise StoreError("damaged")

    with monkeypatch.context() as patch:
        patch.setattr("server.rooms.registry.RoomRegistry.start", fail)
        with pytest.raises(StoreError, match="damaged"):
            async with running(settings):
                pass
    async with running(settings):  # the file is not locked
        pass


async def test_stop_signal_ends_the_server(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[str] = []

    @asynccontextmanager
    async def companion(url: str, store: Store) -> AsyncIterator[None]:
        steps.append("began")
        os.kill(os.getpid(), signal.SIGTERM)
        yield
        steps.append("ended")

    await serve_until_stopped(settings, companion, None)
    assert steps == ["began", "ended"]
    assert capsys.readouterr().out.startswith("parlour: listening on ws://127.0.0.1:")


async def test_greeting_replaces_the_line_for_programs(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    @asynccontextmanager
    async def companion(url: str, store: Store) -> AsyncIterator[None]:
        os.kill(os.getpid(), signal.SIGINT)
        yield

    await serve_until_stopped(settings, companion, lambda url: f"play at {url}")
    assert capsys.readouterr().out.startswith("play at ws://127.0.0.1:")


def test_bus_is_local_unless_a_broker_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_bus(Settings(), SteppedStore(), "n1"), LocalBus)
    assert isinstance(open_bus(Settings(bus="mqtt://broker"), SteppedStore(), "n1"), MqttBus)
    monkeypatch.setitem(sys.modules, "server.cluster.mqtt.bus", None)
    with pytest.raises(BusError, match=r"pip install -e '\.\[mqtt\]'"):
        open_bus(Settings(bus="mqtt://broker"), SteppedStore(), "n1")


def test_parts_share_their_collaborators() -> None:
    app = App(Settings(), SteppedStore(), LocalBus(), Metrics(), ManualClock())
    assert app.server.status is app.status
    assert app.node.id == app.node_id
    assert app.timers.on_deadline == app.processor.check_deadline
    assert app.feed.on_bots == app.bus.introduce
    assert app.now is app.clock  # nodes that share a store use its clock


async def test_commands_under_way_end_before_the_store_closes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "RETRY_AFTER_S", 0.01)  # how long draining waits for them
    order: list[str] = []

    async def answer() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("command")

    async with running(settings) as server:
        server.app.tasks.start(answer())
        close = server.app.store.close

        async def close_store() -> None:
            order.append("store")
            await close()

        monkeypatch.setattr(server.app.store, "close", close_store)
    assert order == ["command", "store"]
