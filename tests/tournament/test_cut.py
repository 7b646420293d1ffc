"""A log that was cut in its last line: what is missing is said, and comes again."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from parlour.cli.main import main
from tests.e2e.parlours import parlour
from tests.tournament.live import Recorder, plan_of, run, table

BOTS = (Contestant("ann", bot="greedy"), Contestant("ben", bot="random"))


def cut(folder: Folder) -> None:
    folder.log_file.write_bytes(folder.log_file.read_bytes()[:-20])


async def test_a_cut_line_is_told_of_and_made_up_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", BOTS, games=2, concurrency=1))
    async with parlour(tmp_path) as there:
        await run(folder, there.url)
        before = table(folder)
        cut(folder)
        for action in ("status", "table"):
            assert main(["tournament", action, str(folder.path)]) == 0
            said = capsys.readouterr().err
            assert "is incomplete and does not count" in said
            assert said.endswith(f"recover the lost entry with parlour tournament resume {folder.path}\n")
        assert main(["tournament", "status", str(folder.path)]) == 0
        assert "1 of 2 games" in capsys.readouterr().out
        recorder = Recorder()
        await run(folder, there.url, recorder)
    assert "the last line of the log is incomplete and does not count; the lost entry is recovered" in recorder.said
    assert table(folder) == before
    main(["tournament", "status", str(folder.path)])
    assert capsys.readouterr().err == ""
