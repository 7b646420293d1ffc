"""Programs that a tournament starts: how they fail, and what they are worth."""

from __future__ import annotations

import asyncio
import csv
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from client.tournament.export.bundle import pack
from client.tournament.export.grades import as_csv, grades
from client.tournament.export.verify import verify
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal, Sprt
from client.tournament.play import player_pool
from client.tournament.play.player_process import PlayerProcess
from runtime import child_process
from tests.e2e.parlours import parlour
from tests.tournament.live import Recorder, plan_of, run

LOOP = """import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ply"] > 2:
        {then}
    print(asked["moves"][0], flush=True)
"""
FAILING = {
    "crasher": "sys.exit('no idea')",
    "cheat": "print('zz', flush=True); continue",
    "sleeper": "time.sleep(60)",
}


def program(folder: Path, name: str, then: str, student: bool = False) -> Contestant:
    (folder / f"{name}.py").write_text(LOOP.format(then=then))
    return Contestant(name, exec=f"{sys.executable} {name}.py", workdir=str(folder), student=student)


async def test_every_way_to_lose_without_being_beaten_has_its_word_and_its_evidence(tmp_path: Path) -> None:
    players = tuple(program(tmp_path, name, then) for name, then in FAILING.items())
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("gauntlet", (Contestant("random", bot="random"), *players), clock="5s", opening_plies=0))
    await run(folder)
    known = standings(folder.plan(), folder.state().results)
    reasons = {row.name: dict(row.forfeits) for row in known.rows}
    assert reasons == {"random": {}, "crasher": {"crashed": 2}, "cheat": {"illegal_moves": 2}, "sleeper": {"time": 2}}
    assert known.row("random").points == 6
    for forfeit in known.forfeits:
        assert (folder.path / forfeit.evidence / "reproduce.sh").is_file(), forfeit


async def test_students_are_graded_with_evidence(tmp_path: Path) -> None:
    players = (
        Contestant("random", bot="random"),
        Contestant("=ada", bot="search", student=True),
        program(tmp_path, "bob", "sys.exit('no idea')", student=True),
    )
    goals = (
        Goal("beats", "beats random", "random", 60, Sprt(0, 300, 0.2, 0.2)),
        Goal("forfeits", "behaves", "random", 4),
        Goal("points", "scores", "random", 4, points=2),
        Goal("solves", "solves", positions=("ww..bb.......... w",), needed=1, seconds=30),  # to compile, perhaps
    )
    folder = Folder(tmp_path / "course")
    folder.create(plan_of("grading", players, game="cohcoh", goals=goals, opening_plies=2))
    await run(folder)
    plan, state = folder.plan(), folder.state()
    found = {name: [grade.verdict for grade in row] for name, row in grades(plan, state).items()}
    assert found["=ada"] == ["pass", "pass", "pass", "pass"]
    assert found["bob"][1] == "fail"
    assert "open" not in found["bob"]
    (first, second, third) = list(csv.reader(io.StringIO(as_csv(grades(plan, state), plan))))
    assert first[:4] == ["student", "passed", "of", "beats random"]
    assert second[:3] == ["'=ada", "4", "4"], "no spreadsheet takes a name for a formula"
    assert "crashed in game" in third[6]
    assert (folder.path / third[6].partition("(")[2].partition(")")[0]).is_dir()
    assert standings(plan, state.results).finished


@pytest.mark.parametrize(
    ("player", "sentence"),
    [
        (Contestant("x", exec="/no/such/program", workdir="/"), "x cannot be started: .*no/such/program"),
        (Contestant("x", bot="/no/such/bot.py"), "x cannot be started: there is no file /no/such/bot.py"),
    ],
)
async def test_a_player_who_cannot_be_started_is_said_at_once(
    player: Contestant, sentence: str, tmp_path: Path
) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", (Contestant("random", bot="random"), player)))
    with pytest.raises(TournamentError, match=sentence):
        await run(folder)


async def test_a_player_can_be_stopped_while_it_comes_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, gate, start = asyncio.Event(), asyncio.Event(), child_process.start

    async def late(*words: str, **more: Any) -> asyncio.subprocess.Process:
        asked.set()
        await gate.wait()
        return await start(*words, **more)

    monkeypatch.setattr(child_process, "start", late)
    contestant = Contestant("x", bot="random")
    folder = Folder(tmp_path / "cup")
    given = plan_of("match", (contestant, Contestant("y", bot="random")))
    async with parlour(tmp_path) as server:
        player = PlayerProcess(contestant, given, folder, server.url, "")
        coming = asyncio.create_task(player.start())
        await asked.wait()
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        stopping = asyncio.create_task(player.stop())
        gate.set()
        await asyncio.wait_for(stopping, 20)


async def test_a_submission_that_does_not_start_costs_its_own_games_and_few_are_there_at_a_time(
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
    assert any("broken cannot be started" in said for said in recorder.said)
    assert verify(bundled(folder, tmp_path)) == ([], 6)
    said = [(folder.players / f"{name}.txt").read_text() for name in ("ann", "ben")]
    assert all(text.count("connected to") == 1 for text in said), (
        "who is not needed any more leaves, and need not come back"
    )


def bundled(folder: Folder, tmp_path: Path) -> Path:
    path = tmp_path / "bundle.zip"
    path.write_bytes(pack(folder.plan(), folder.state(), folder.path))
    return path
