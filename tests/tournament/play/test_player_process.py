"""Players that the runner starts: failures to start, names that are taken, stopping."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant
from client.tournament.play import player_process
from client.tournament.play.player_process import PlayerProcess
from runtime import child_process
from tests.e2e.bots import create_account
from tests.e2e.local_server import running_server, session
from tests.tournament.live import Recorder, plan_of, run, table
from tests.waiting import TIMEOUT_S


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        (Contestant("x", exec="/no/such/program", workdir="/"), "x cannot be started: .*no/such/program"),
        (Contestant("x", bot="/no/such/bot.py"), "x cannot be started: there is no file /no/such/bot.py"),
    ],
)
async def test_unstartable_player_is_reported_at_once(player: Contestant, sentence: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", (Contestant("random", bot="random"), player)))
    with pytest.raises(TournamentError, match=sentence):
        await run(folder)


async def test_player_can_be_stopped_while_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, gate, start = asyncio.Event(), asyncio.Event(), child_process.start

    async def late(*words: str, **more: Any) -> asyncio.subprocess.Process:
        asked.set()
        await gate.wait()
        return await start(*words, **more)

    monkeypatch.setattr(child_process, "start", late)
    contestant = Contestant("x", bot="random")
    folder = Folder(tmp_path / "cup")
    given = plan_of("match", (contestant, Contestant("y", bot="random")))
    async with running_server(tmp_path) as server:
        player = PlayerProcess(contestant, given, folder, server.url, "")
        coming = asyncio.create_task(player.start())
        await asked.wait()
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        stopping = asyncio.create_task(player.stop())
        gate.set()
        await asyncio.wait_for(stopping, TIMEOUT_S)


BOTS = (Contestant("greedy", bot="greedy"), Contestant("r", bot="random"))


def rename(folder: Folder) -> None:
    plan = folder.plan_file.read_text(encoding="utf-8")
    folder.plan_file.write_text(plan.replace('name = "greedy"', 'name = "g"'), encoding="utf-8")


async def test_name_of_an_account_can_be_changed_in_the_plan(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", BOTS, games=2))
    async with running_server(tmp_path) as server:
        await create_account(server, "greedy")
        with pytest.raises(TournamentError) as caught:
            await run(folder, server.url)
        why, _, what = str(caught.value).partition("; ")
        assert why == "greedy cannot be started: the name greedy belongs to an account"
        assert what.endswith(f"change the name in {folder.plan_file}, or take another folder with --bot NAME=greedy")
        rename(folder)
        await run(folder, server.url)
    assert {row[0] for row in table(folder)} == {"g", "r"}


async def test_name_of_a_connected_guest_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_process, "NAME_TIMEOUT_S", 0.0)
    folder, recorder = Folder(tmp_path / "cup"), Recorder()
    folder.create(plan_of("match", (BOTS[0], Contestant("ann")), games=2))
    async with running_server(tmp_path) as server, session(server.url, "greedy"):
        with pytest.raises(TournamentError, match="another player is called greedy on that server: change the name in"):
            await run(folder, server.url, recorder)
    assert recorder.messages[-1] == "1 player will be started when needed"
