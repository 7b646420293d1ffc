"""Limits of the SSH service for one connection, with the SSH library as the client."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from server.config import Settings
from server.ssh import service as service_module
from server.ssh.child import Child
from server.ssh.host_key import KEY_TYPE
from server.ssh.limits import EXTRA_CONNECTIONS_PER_ADDRESS
from server.ssh.service import (
    FAILED,
    MAX_CHANNELS,
    MAX_ENVIRONMENT_BYTES,
    MAX_KEYS,
    RESTARTING,
    WINDOW_BYTES,
    Server,
    Service,
    Session,
)
from server.ssh.spec import ServiceSpec
from tests.waiting import TIMEOUT_S, settle, until

SETTINGS = Settings(ssh_sessions=20, ssh_sessions_per_address=20)


class WaitingServer(Server):
    """Knows no key, and permits sessions only after `permits` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.permits = asyncio.Event()
        self.fingerprints: list[str] = []

    async def ask(self, **question: str) -> dict[str, str]:
        if "fingerprint" in question:
            self.fingerprints.append(question["fingerprint"])
            return {"account": ""}
        await self.permits.wait()
        return {"name": "bob", "voucher": ""}


class Client(asyncssh.SSHClient):
    """Logs in as a guest."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, *challenge: Any) -> list[str]:
        return []


class Served:
    """A running service, and a way to connect to it."""

    def __init__(self, service: Service, server: WaitingServer, port: int) -> None:
        self.service, self.server, self._port = service, server, port

    @asynccontextmanager
    async def client(self, **options: Any) -> AsyncIterator[asyncssh.SSHClientConnection]:
        given: dict[str, Any] = {"client_keys": None, **options}
        connection, _ = await asyncssh.create_connection(
            Client, "127.0.0.1", self._port, known_hosts=None, username="bob", config=[], agent_path=None, **given
        )
        try:
            yield connection
        finally:
            connection.abort()


@asynccontextmanager
async def served(folder: Path, settings: Settings = SETTINGS) -> AsyncIterator[Served]:
    """Run a service in this process. Its sessions run the module `session_program` of the folder."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    key = asyncssh.generate_private_key(KEY_TYPE).export_private_key("openssh").decode()
    server = WaitingServer()
    spec = ServiceSpec({}, "", key, [listener.detach()], str(folder))
    service = Service(spec, settings, "session_program", server)
    acceptors = await service.listen()
    try:
        yield Served(service, server, port)
    finally:
        server.permits.set()
        for acceptor in acceptors:
            acceptor.close()
        await service.stop()


@pytest.fixture(autouse=True)
def watch_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "WATCH_INTERVAL_S", 0.02)


async def closed(connection: asyncssh.SSHClientConnection) -> None:
    await asyncio.wait_for(connection.wait_closed(), TIMEOUT_S)


async def test_client_with_many_keys_is_looked_up_a_few_times(tmp_path: Path) -> None:
    keys = [asyncssh.generate_private_key(KEY_TYPE) for _ in range(MAX_KEYS + 5)]
    async with served(tmp_path) as running, running.client(client_keys=keys):
        assert len(running.server.fingerprints) == MAX_KEYS


async def test_connection_without_a_session_ends(tmp_path: Path) -> None:
    async with served(tmp_path) as running, running.client() as connection:
        running.service.settings = Settings(ssh_login_timeout=0.05)  # the login itself had longer
        await closed(connection)


async def test_connection_has_a_limited_number_of_channels(tmp_path: Path) -> None:
    async with served(tmp_path) as running, running.client() as connection:
        channels = [(await connection.create_session(asyncssh.SSHClientSession))[0] for _ in range(MAX_CHANNELS)]
        with pytest.raises(asyncssh.ChannelOpenError):
            await connection.create_session(asyncssh.SSHClientSession)
        channels[0].abort()
        await asyncio.wait_for(channels[0].wait_closed(), TIMEOUT_S)
        await connection.create_session(asyncssh.SSHClientSession)


async def test_connections_beyond_the_limit_are_dropped_with_one_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(ssh_sessions=1, ssh_sessions_per_address=1)
    async with served(tmp_path, settings) as running, AsyncExitStack() as clients:
        for _ in range(1 + EXTRA_CONNECTIONS_PER_ADDRESS):
            await clients.enter_async_context(running.client())
        for _ in range(3):
            with pytest.raises((asyncssh.Error, OSError)):
                await clients.enter_async_context(running.client())
    assert len([record for record in caplog.records if "ssh_full" in record.getMessage()]) == 1


async def test_connection_that_sends_a_large_environment_ends(tmp_path: Path) -> None:
    async with served(tmp_path) as running, running.client() as connection:
        half = "x" * (MAX_ENVIRONMENT_BYTES // 2)
        await connection.create_session(asyncssh.SSHClientSession, env={"A": half})
        await connection.create_session(asyncssh.SSHClientSession, env={"A": half})
        await closed(connection)


async def test_client_that_reads_nothing_is_disconnected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MAX_UNSENT_BYTES", 1 << 20)
    async with served(tmp_path) as running, running.client() as connection:
        await connection.create_session(asyncssh.SSHClientSession, window=1 << 26, encoding=None)
        connection._transport.pause_reading()  # type: ignore[union-attr]
        [session] = running.service.sessions
        session._write(bytes(1 << 24))  # more than the system buffers
        await until("the connection has ended", lambda: not running.service.connections._counts)


async def test_input_waits_for_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "session_program.py").write_text("import sys; print(len(sys.stdin.read()))")
    monkeypatch.setattr(Session, "_environment", lambda session: {"PYTHONPATH": str(tmp_path)})
    size = 4 * WINDOW_BYTES
    async with served(tmp_path) as running, running.client() as connection:
        process = await connection.create_process(encoding=None)
        process.stdin.write(b"x" * size)
        process.stdin.write_eof()
        [session] = await until_started(running)
        await until("the window is full", lambda: sum(map(len, session._early_input)) >= WINDOW_BYTES)
        running.server.permits.set()
        done = await asyncio.wait_for(process.wait(), TIMEOUT_S)
    assert (done.stdout, done.exit_status) == (b"%d\n" % size, 0)


async def test_farewell_does_not_wait_for_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "session_program.py").write_text("import time; print('ready', flush=True); time.sleep(600)")
    monkeypatch.setattr(Session, "_environment", lambda session: {"PYTHONPATH": str(tmp_path)})
    monkeypatch.setattr(service_module, "STOP_TIMEOUT_S", TIMEOUT_S)
    kill = Child.kill
    async with served(tmp_path) as running, running.client() as connection:
        running.server.permits.set()
        process = await connection.create_process()
        await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)
        monkeypatch.setattr(Child, "kill", lambda child: None)  # as on a machine where it takes long
        stopping = asyncio.create_task(running.service.stop())
        done = await asyncio.wait_for(process.wait(), TIMEOUT_S)
        assert (done.stderr, done.exit_status) == (f"parlour: {RESTARTING}\n", FAILED)
        assert not stopping.done()
        monkeypatch.setattr(Child, "kill", kill)
        for session in list(running.service.sessions):
            session.end()
        await stopping


async def test_service_stops_when_the_client_has_read_the_farewell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "session_program.py").write_text("import time; print('ready', flush=True); time.sleep(600)")
    monkeypatch.setattr(Session, "_environment", lambda session: {"PYTHONPATH": str(tmp_path)})
    monkeypatch.setattr(service_module, "STOP_TIMEOUT_S", TIMEOUT_S)
    async with served(tmp_path) as running, running.client() as connection:
        running.server.permits.set()
        process = await connection.create_process()
        await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)
        transport: Any = connection._transport
        transport.pause_reading()
        stopping = asyncio.create_task(running.service.stop())
        await until("the session has ended", lambda: not running.service.sessions)
        await settle()
        assert not stopping.done()
        transport.resume_reading()
        done = await asyncio.wait_for(process.wait(), TIMEOUT_S)
        assert done.stderr == f"parlour: {RESTARTING}\n"
        await asyncio.wait_for(stopping, TIMEOUT_S)


async def until_started(running: Served) -> set[Session]:
    await until("the session has started", lambda: bool(running.service.sessions))
    return running.service.sessions
