"""Players are started when needed, and stopped when there are too many."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from client.tournament.export.bundle import pack
from client.tournament.export.grades import grades
from client.tournament.export.verify import verify
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant, Goal
from client.tournament.play import player_pool
from tests.tournament.live import Recorder, plan_of, run


async def test_unstartable_student_forfeits_and_idle_players_are_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_pool, "MAX_RUNNING_PLAYERS", 2)
    broken = Contestant("broken", exec=f"{sys.executable} missing.py", workdir=str(tmp_path), student=True)
    students = tuple(Contestant(name, bot="random", student=True) for name in ("ann", "ben"))
    goals = (Goal("forfeits", "behaves", "rival", 2),)
    folder = Folder(tmp_path / "course")
    players = (Contestant("rival", bot="random"), broken, *students)
    folder.create(plan_of("grading", players, goals=goals, concurrency=1))
    recorder = Recorder()
    await run(folder, recorder=recorder)
    found = {name: row[0] for name, row in grades(folder.plan(), folder.state()).items()}
    assert {name: grade.verdict for name, grade in found.items()} == {"broken": "fail", "ann": "pass", "ben": "pass"}
    assert "crashed in game 1 (forensics/broken/start)" in found["broken"].evidence
    assert (folder.forensics / "broken" / "start" / "report.json").is_file()
    assert any("broken cannot be started" in message for message in recorder.messages)
    assert verify(write_bundle(folder, tmp_path)) == ([], 6, [], 0)
    outputs = [(folder.players / f"{name}.txt").read_text() for name in ("ann", "ben")]
    assert all(text.count("connected to") == 1 for text in outputs), (
        "a player that is not needed any more is stopped and not started again"
    )


def write_bundle(folder: Folder, tmp_path: Path) -> Path:
    path = tmp_path / "bundle.zip"
    path.write_bytes(pack(folder.plan(), folder.state(), folder.path))
    return path
