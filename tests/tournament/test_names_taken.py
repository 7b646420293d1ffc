"""Players whose names are somebody else's on that server: what to do is said, and can be done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant
from client.tournament.play import player_process
from tests.e2e.botting import account
from tests.e2e.parlours import parlour, session
from tests.tournament.live import Recorder, plan_of, run, table

BOTS = (Contestant("greedy", bot="greedy"), Contestant("r", bot="random"))


def rename(folder: Folder) -> None:
    plan = folder.plan_file.read_text(encoding="utf-8")
    folder.plan_file.write_text(plan.replace('name = "greedy"', 'name = "g"'), encoding="utf-8")


async def test_a_name_of_the_house_is_changed_in_the_plan(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", BOTS, games=2))
    async with parlour(tmp_path) as there:
        await account(there, "greedy")
        with pytest.raises(TournamentError) as caught:
            await run(folder, there.url)
        why, _, what = str(caught.value).partition("; ")
        assert why == "greedy cannot be started: the name greedy belongs to the holder of a token"
        assert what.endswith(f"change the name in {folder.plan_file}, or take another folder with --bot NAME=greedy")
        rename(folder)
        await run(folder, there.url)
    assert {row[0] for row in table(folder)} == {"g", "r"}


async def test_another_server_may_be_named_in_the_plan_until_a_game_has_begun(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    async with parlour(tmp_path) as one:
        await account(one, "greedy")
        folder.create(replace(plan_of("match", BOTS, games=2), url=one.url))
        with pytest.raises(TournamentError, match="belongs to the holder of a token"):
            await run(folder)
    async with parlour(tmp_path, db=str(tmp_path / "other.db")) as other:
        plan = folder.plan_file.read_text(encoding="utf-8")
        folder.plan_file.write_text(plan.replace(one.url, other.url), encoding="utf-8")
        await run(folder)
    assert {row[0] for row in table(folder)} == {"greedy", "r"}


async def test_a_name_that_a_guest_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_process, "NAME_TIMEOUT_S", 0.0)
    folder, recorder = Folder(tmp_path / "cup"), Recorder()
    folder.create(plan_of("match", (BOTS[0], Contestant("ann")), games=2))
    async with parlour(tmp_path) as there, session(there.url, "greedy"):
        with pytest.raises(TournamentError, match="another player is called greedy on that server: change the name in"):
            await run(folder, there.url, recorder)
    assert recorder.said[-1] == "1 player will be started when needed"
