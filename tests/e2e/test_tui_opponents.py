"""Whom `parlour play` invites on a server, and what it says where nobody of that name is."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from client.presentation.launch_plan import GameRequest
from protocol.types import BotInfo
from server.config import Settings
from tests.e2e.bots import builtin, running_bot
from tests.e2e.guest import PATIENCE
from tests.e2e.parlours import parlour
from tests.e2e.tui import at_table, client, settled
from tests.tui.offline_app import picture_of

USUAL = GameRequest("cohcoh", vs="search@5", vs_is_default=True)


def bot(name: str, *plays: str, house: bool = False) -> BotInfo:
    return BotInfo(name=name, plays=plays or ("cohcoh",), house=house)


def test_the_usual_opponent_or_who_is_most_like_it() -> None:
    here = [bot("careful"), bot("random", house=True), bot("search", "conga", house=True)]
    assert USUAL.with_available_bot(here).vs == "random"
    assert USUAL.with_available_bot([*here, bot("search@3", house=True)]).vs == "search@3"
    assert USUAL.with_available_bot([*here, bot("search@5")]).vs == "search@5"
    assert USUAL.with_available_bot(here[:1]).vs == "careful"
    assert USUAL.with_available_bot([]).vs == ""
    assert GameRequest("cohcoh", vs="search@5").with_available_bot(here).vs == "search@5", (
        "who was asked for is waited for"
    )


def test_the_usual_opponent_is_one_of_the_house() -> None:
    assert {"search@5", "search@8"} <= set(Settings().house.split(","))  # whom the README plays


async def test_somebody_is_invited_who_is_there(tmp_path: Path) -> None:
    async with (
        parlour(tmp_path) as there,
        running_bot(there.url, builtin("random", seed=1)),
        client(there.url, tmp_path, "play", USUAL) as (app, pilot),
    ):
        await at_table(app, pilot)
        assert "random" in picture_of(app)


async def test_who_waits_for_a_bot_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    request = GameRequest("cohcoh", vs="search@8")
    async with (
        parlour(tmp_path) as there,
        running_bot(there.url, builtin("random", seed=1)),
        client(there.url, tmp_path, "play", request) as (app, pilot),
    ):
        await settled(pilot, "it is told", lambda: "there is no search@8 here, but random" in picture_of(app))


async def test_line_by_line_too(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, running_bot(there.url, builtin("random", seed=1)):
        assert any("random" in line for line in await lines_until("your move", there.url, tmp_path, "--seat", "first"))
        *_, last = await lines_until("there is no", there.url, tmp_path / "other", "--vs", "search@8")
        assert last == "there is no search@8 here, but random"


async def lines_until(choose_opening: str, url: str, folder: Path, *words: str) -> list[str]:
    """What `parlour play --plain` says, up to a line that begins so."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "play", "cohcoh", "--plain", "--url", url, *words,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={"XDG_STATE_HOME": str(folder)},
    )  # fmt: skip
    lines: list[str] = []
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while not lines or not lines[-1].startswith(choose_opening):
                line = await process.stdout.readline()
                assert line, lines
                lines.append(line.decode().rstrip("\n"))
        return lines
    finally:
        process.kill()
        await process.wait()
