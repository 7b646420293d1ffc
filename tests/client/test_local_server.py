"""Private folder and private server."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from client.local_server import BackgroundServer, PrivateFolder, PrivateServer
from client.sdk.errors import NoServer
from tests.waiting import TIMEOUT_S


def test_second_client_gets_a_temporary_folder(tmp_path: Path) -> None:
    first, second = PrivateFolder(tmp_path / "private"), PrivateFolder(tmp_path / "private")
    first.open()
    second.open()
    assert first.folder == tmp_path / "private"
    assert second.folder != first.folder
    assert second.folder.is_dir()
    second.close()
    assert not second.folder.exists()
    first.close()
    third = PrivateFolder(tmp_path / "private")
    third.open()
    assert third.folder == tmp_path / "private"
    third.close()


async def test_exclusive_open_fails_at_once_while_a_person_plays(tmp_path: Path) -> None:
    player, other = PrivateFolder(tmp_path), PrivateFolder(tmp_path)
    player.open()
    with pytest.raises(NoServer, match="the private server is in use"):
        await other.open_exclusive()
    player.close()
    await other.open_exclusive()
    assert other.folder == tmp_path
    other.close()


async def test_exclusive_open_waits_for_a_server_that_exits(tmp_path: Path) -> None:
    player, first, second = PrivateFolder(tmp_path), PrivateFolder(tmp_path), PrivateFolder(tmp_path)
    player.open()
    player.close()
    await first.open_exclusive()
    waiting = asyncio.create_task(second.open_exclusive())
    await asyncio.sleep(0)
    assert not waiting.done()
    first.close()
    await waiting
    second.close()


def test_unwritable_folder_is_replaced_by_a_temporary_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = PrivateFolder(tmp_path / "file" / "private")
    folder.open()
    assert folder.folder.is_dir()
    folder.close()


def test_latest_bots_are_remembered(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path)
    assert folder.with_recent_bots("search@5") == ("search@5",)
    for bot in ("search@5", "greedy", "search@5", "random"):
        folder.remember_bots(folder.with_recent_bots(bot))
    assert folder.with_recent_bots("search") == ("search", "random", "search@5")
    assert folder.with_recent_bots("greedy") == ("greedy", "random", "search@5")
    assert folder.with_recent_bots("search", "random", "minimax") == (
        "search",
        "random",
        "minimax",
        "search@5",
        "greedy",
    )


async def test_failed_start_tells_the_reason(tmp_path: Path) -> None:
    server = PrivateServer(("unknown-bot",), PrivateFolder(tmp_path))
    with pytest.raises(NoServer, match="there is no bot 'unknown-bot'"):
        await server.start()
    await server.stop()


async def test_server_restarts_at_the_same_address(tmp_path: Path) -> None:
    server = BackgroundServer(tmp_path)
    url = urlsplit(await server.start())
    try:
        child = server._server._supervisor.child
        assert child is not None
        child.kill()
        await child.wait()
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                with suppress(ConnectionError):
                    _, writer = await asyncio.open_connection(url.hostname, url.port)
                    break
                await asyncio.sleep(0.01)
        writer.close()
        await writer.wait_closed()
        assert server._server._supervisor.child is not child
    finally:
        await server.stop()


async def test_silent_server_is_a_failed_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(*args: str, **options: object) -> asyncio.subprocess.Process:
        program = "import sys; sys.stdin.read()"
        return await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=PIPE, stdout=PIPE, stderr=PIPE)

    monkeypatch.setattr("runtime.child_process.start", silent)
    monkeypatch.setattr("client.local_server.START_TIMEOUT_S", 0.01)
    server = PrivateServer((), PrivateFolder(tmp_path))
    with pytest.raises(NoServer, match=r"the private server did not start: no answer within 0\.01 s"):
        await server.start()
    assert server._supervisor.child is None
