"""`parlour tournament run` shows the tournament on its own server, unless it is told not to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from client.sdk.session import Session
from protocol.commands import WatchTournament
from protocol.replies import TournamentUpdate
from tests.e2e.local_server import session
from tests.tournament.live import start_command
from tests.waiting import TIMEOUT_S

RUN = ("--game", "conga", "--bot", "a=random", "--bot", "b=random", "--games", "200", "--quiet")


async def first_report(watcher: Session, name: str) -> TournamentUpdate:
    await watcher.ask(WatchTournament(id=watcher.id(), name=name))
    async for event in watcher:
        if isinstance(event, TournamentUpdate):
            return event
    raise AssertionError


async def fetch(url: str) -> bytes:
    address, _, path = url.removeprefix("http://").partition("/")
    host, _, port = address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /{path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/html\r\n\r\n".encode())
    page = await reader.read()
    writer.close()
    return page


async def test_own_server_has_the_page(tmp_path: Path) -> None:
    process = await start_command("run", str(tmp_path / "my cup"), *RUN)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(TIMEOUT_S):
            async for line in process.stdout:
                if line.startswith(b"watch it at "):
                    break
            url = line.decode().split()[-1]
            assert url.endswith("/tournament/my%20cup")
            page = await fetch(url)
            assert page.startswith(b"HTTP/1.1 200")
            assert b"<title>Parlour</title>" in page
            async with session(url.replace("http://", "ws://").partition("/tournament")[0] + "/ws", "eve") as eve:
                update = await first_report(eve, "my cup")
            assert (update.report.title, update.report.finished) == ("my cup", False)
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()


async def test_tournament_without_a_page_prints_no_address(tmp_path: Path) -> None:
    few = [*RUN[:-3], "--games", "2", "--quiet"]
    process = await start_command("run", str(tmp_path / "cup"), *few, "--no-page")
    output, _ = await process.communicate()
    assert process.returncode == 0, output
    assert b"watch it at" not in output
