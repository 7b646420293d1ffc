"""Programs that a tournament starts: how they fail, and what they are worth."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

from client.tournament.errors import TournamentError
from client.tournament.folder import Folder
from client.tournament.grades import as_csv, grades
from client.tournament.plan import Contestant, Goal, Sprt
from client.tournament.standings import standings
from tests.tournament.houses import plan_of, run

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
    folder.create(plan_of("gauntlet", (Contestant("random", bot="random"), *players), clock="2s", opening_plies=0))
    await run(folder)
    known = standings(folder.plan(), folder.story().results)
    reasons = {row.name: dict(row.forfeits) for row in known.rows}
    assert reasons == {"random": {}, "crasher": {"crashed": 2}, "cheat": {"illegal_moves": 2}, "sleeper": {"time": 2}}
    assert known.row("random").points == 6
    for forfeit in known.forfeits:
        assert (folder.path / forfeit.evidence / "reproduce.sh").is_file(), forfeit


async def test_students_are_graded_with_evidence(tmp_path: Path) -> None:
    players = (
        Contestant("random", bot="random"),
        Contestant("=ada", bot="search@6", student=True),
        program(tmp_path, "bob", "sys.exit('no idea')", student=True),
    )
    goals = (
        Goal("beats", "beats random", "random", 60, Sprt(0, 300, 0.2, 0.2)),
        Goal("forfeits", "behaves", "random", 4),
        Goal("points", "scores", "random", 4, points=2),
        Goal("solves", "solves", positions=("ww..bb.......... w",), needed=1, seconds=5),
    )
    folder = Folder(tmp_path / "course")
    folder.create(plan_of("grading", players, game="cohcoh", goals=goals, opening_plies=2))
    await run(folder)
    plan, story = folder.plan(), folder.story()
    found = {name: [grade.verdict for grade in row] for name, row in grades(plan, story).items()}
    assert found["=ada"] == ["pass", "pass", "pass", "pass"]
    assert found["bob"][1] == "fail"
    assert "open" not in found["bob"]
    (first, second, third) = list(csv.reader(io.StringIO(as_csv(grades(plan, story), plan))))
    assert first[:4] == ["student", "passed", "of", "beats random"]
    assert second[:3] == ["'=ada", "4", "4"], "no spreadsheet takes a name for a formula"
    assert "crashed in game" in third[6]
    assert (folder.path / third[6].partition("(")[2].partition(")")[0]).is_dir()
    assert standings(plan, story.results).finished


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
