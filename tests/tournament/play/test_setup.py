"""Set up a tournament: choose the server, recover an unfinished log line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant
from parlour.cli.main import main
from tests.e2e.bots import create_account
from tests.e2e.local_server import running_server
from tests.tournament.live import Recorder, plan_of, run, table

BOTS = (Contestant("greedy", bot="greedy"), Contestant("r", bot="random"))


async def test_plan_may_name_another_server_before_first_game(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    async with running_server(tmp_path) as one:
        await create_account(one, "greedy")
        folder.create(replace(plan_of("match", BOTS, games=2), url=one.url))
        with pytest.raises(TournamentError, match="belongs to an account"):
            await run(folder)
    async with running_server(tmp_path, db=str(tmp_path / "other.db")) as other:
        plan = folder.plan_file.read_text(encoding="utf-8")
        folder.plan_file.write_text(plan.replace(one.url, other.url), encoding="utf-8")
        await run(folder)
    assert {row[0] for row in table(folder)} == {"greedy", "r"}


def cut(folder: Folder) -> None:
    folder.log_file.write_bytes(folder.log_file.read_bytes()[:-20])


async def test_unfinished_log_line_is_reported_and_recovered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", BOTS, games=2, concurrency=1))
    async with running_server(tmp_path) as server:
        await run(folder, server.url)
        before = table(folder)
        cut(folder)
        for action in ("status", "table"):
            assert main(["tournament", action, str(folder.path)]) == 0
            output = capsys.readouterr().err
            assert "is incomplete and does not count" in output
            assert output.endswith(f"recover the lost entry with parlour tournament resume {folder.path}\n")
        assert main(["tournament", "status", str(folder.path)]) == 0
        assert "1 of 2 games" in capsys.readouterr().out
        recorder = Recorder()
        await run(folder, server.url, recorder)
    assert "the last line of the log is incomplete and does not count; the lost entry is recovered" in recorder.messages
    assert table(folder) == before
    main(["tournament", "status", str(folder.path)])
    assert capsys.readouterr().err == ""
