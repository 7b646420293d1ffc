"""The folder of a tournament."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from parlour.cli.main import main
from tests.tournament.plans import plan


def test_plan_cannot_change_after_first_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan("round-robin", "a", "b"))
    begun = '{"type":"tournament","version":1,"plan":"something else"}\n'
    folder.log_file.write_text(begun)
    assert main(["tournament", "table", str(folder.path)]) == 0, "before the first game the plan may change"
    capsys.readouterr()
    folder.log_file.write_text(begun + '{"type":"created","game":1,"room":"r1"}\n')
    assert main(["tournament", "table", str(folder.path)]) == 2
    assert "was changed after the tournament had begun" in capsys.readouterr().err
