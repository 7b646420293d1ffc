"""The opponents that `parlour play` invites, and the notice if a bot is not connected."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from client.presentation.launch_plan import GameRequest
from server.config import Settings
from tests.e2e.bots import builtin, running_bot
from tests.e2e.local_server import running_server
from tests.e2e.tui import at_table, client, settled
from tests.tui.offline_app import picture_of
from tests.waiting import TIMEOUT_S

NOT_CONNECTED = "search@8 is not connected. Wait, or leave and use --vs random."
DEFAULT = GameRequest("cohcoh", vs="search@5", vs_is_default=True)


def test_readme_opponents_are_house_bots() -> None:
    assert {"search@5", "search@8"} <= set(Settings().house.split(","))


async def test_available_bot_replaces_the_default_opponent(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        running_bot(server.url, builtin("random", seed=1)),
        client(server.url, tmp_path, "play", DEFAULT) as (app, pilot),
    ):
        await at_table(app, pilot)
        assert "random" in picture_of(app)


async def test_absent_bot_is_reported(tmp_path: Path) -> None:
    request = GameRequest("cohcoh", vs="search@8")
    async with (
        running_server(tmp_path) as server,
        running_bot(server.url, builtin("random", seed=1)),
        client(server.url, tmp_path, "play", request) as (app, pilot),
    ):
        await settled(pilot, "the notice", lambda: NOT_CONNECTED in picture_of(app))


async def test_plain_mode_reports_absent_bots_too(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, running_bot(server.url, builtin("random", seed=1)):
        assert any("random" in line for line in await lines_until("Your move", server.url, tmp_path, "--seat", "first"))
        *_, last = await lines_until("search@8 is not connected", server.url, tmp_path / "other", "--vs", "search@8")
        assert last == NOT_CONNECTED


async def lines_until(prefix: str, url: str, folder: Path, *words: str) -> list[str]:
    """Return the output of `parlour play --plain` up to a line that starts with a text."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "play", "cohcoh", "--plain", "--url", url, *words,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(folder)},
    )  # fmt: skip
    lines: list[str] = []
    try:
        assert process.stdout is not None
        async with asyncio.timeout(TIMEOUT_S):
            while not lines or not lines[-1].startswith(prefix):
                line = await process.stdout.readline()
                assert line, lines
                lines.append(line.decode().rstrip("\n"))
        return lines
    finally:
        process.kill()
        await process.wait()
