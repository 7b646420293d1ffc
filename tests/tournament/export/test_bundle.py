"""Export a tournament as a bundle or as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.export.verify import verify
from client.tournament.journal.folder import Folder
from parlour.cli.main import main
from tests.tournament.plans import plan


def test_unplayed_tournament_can_be_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan("round-robin", "a", "b"))
    for words, name in (([], "cup.zip"), (["--page"], "cup.html")):
        assert main(["tournament", "export", str(folder.path), "--out", str(tmp_path / name), *words]) == 0
        assert str(tmp_path / name) in capsys.readouterr().out
    assert verify(tmp_path / "cup.zip") == ([], 0, [], 0)
    assert main(["tournament", "export", str(folder.path), "--out", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert not list(tmp_path.parent.glob("*.draft"))
