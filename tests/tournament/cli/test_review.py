"""`parlour tournament review`: accuracy and mistakes, resumed after Ctrl-C, and one error for a hostile file."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from parlour.cli.main import main
from parlour.cli.tournament.review import ReviewOutput
from tests.tournament.plans import plan
from tests.tournament.reviewed import played_folder

FEW = ("--nodes", "60", "--seconds", "600", "--plain", "--table", "1")


def folder_of(path: Path) -> Folder:
    given = plan("match", "<b>ann", "ben", game="cohcoh", opening_plies=6, games=2)
    return asyncio.run(played_folder(path, given))


def test_review_shows_accuracy_and_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(folder_of(tmp_path / "cup").path)
    assert main(["tournament", "table", folder]) == 0
    assert "accuracy" not in capsys.readouterr().out
    assert main(["tournament", "review", folder, *FEW]) == 0
    output = capsys.readouterr()
    assert len([line for line in output.err.splitlines() if "accuracy" in line]) == 2
    assert "\x1b" not in output.out + output.err
    assert "The worst mistakes:\n" in output.out
    assert "from 2 games, reviewed with 60 nodes per position" in output.out
    assert "better: " in output.out
    assert main(["tournament", "review", folder, "--json"]) == 0
    output = capsys.readouterr()
    assert output.err == "", "nothing is reviewed twice"
    found = json.loads(output.out)
    assert found["table"]["reviews"] == {"reviewed": 2, "games": 2, "nodes": 60}
    assert {mistake["player"] for mistake in found["mistakes"]} <= {"<b>ann", "ben"}
    for words in (["table", folder], ["resume", folder]):
        assert main(["tournament", *words]) == 0
        assert "accuracy" in capsys.readouterr().out


def test_interrupt_keeps_what_is_reviewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "cup")
    monkeypatch.setattr(ReviewOutput, "reviewed", lambda output, news: signal.raise_signal(signal.SIGINT))
    assert main(["tournament", "review", str(folder.path), *FEW]) == 130
    output = capsys.readouterr()
    how = f"continue with: parlour tournament review {folder.path}"
    assert (output.out, output.err) == ("", f"stopped; 1 of 2 games reviewed, {how}\n")
    assert list(folder.state_with_reviews().reviews) == [1]


def test_hostile_file_gives_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path / "cup")
    for data in (b"[]\n{}\n", b'{"game":1}\n', b"\xff\n{}\n", b'{"game":' + b"[" * 100 + b"\n{}\n"):
        folder.reviews_file.write_bytes(data)
        for words in (["table"], ["review"], ["export", "--out", str(tmp_path / "cup.zip")]):
            assert main(["tournament", words[0], str(folder.path), *words[1:]]) == 2
            output = capsys.readouterr()
            assert output.out == ""
            assert len(output.err.splitlines()) == 1
            assert "reviews.jsonl" in output.err


def test_tournament_without_finished_games_is_not_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan("match", "ann", "ben"))
    assert main(["tournament", "review", str(folder.path)]) == 2
    assert "no game of" in capsys.readouterr().err
    assert not folder.reviews_file.exists()
