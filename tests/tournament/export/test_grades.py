"""Grades of students, with evidence."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from client.tournament.export.grades import as_csv, grades
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant, Goal, Sprt
from tests.tournament.live import plan_of, run
from tests.tournament.programs import program
from tests.waiting import TIMEOUT_S


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
        Goal(
            "solves", "solves", positions=("ww..bb.......... w",), needed=1, seconds=TIMEOUT_S
        ),  # the search may have to be compiled
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
    assert second[:3] == ["'=ada", "4", "4"], "a name is not a spreadsheet formula"
    assert "crashed in game" in third[6]
    assert (folder.path / third[6].partition("(")[2].partition(")")[0]).is_dir()
    assert standings(plan, state.results).finished
