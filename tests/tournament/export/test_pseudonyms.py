"""Public bundles do not reveal students."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.export.bundle import pack
from client.tournament.export.pseudonyms import anonymize, pseudonyms
from client.tournament.export.verify import verify
from client.tournament.journal.replay import Answer
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal
from runtime.untrusted_files import unpack
from tests.tournament.plans import plan
from tests.tournament.simulated import simulate


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "cup.zip"
    path.write_bytes(data)
    return path


def test_public_bundle_hides_students_and_verifies(tmp_path: Path) -> None:
    students = tuple(Contestant(name, exec=f"./{name}", workdir="/home/x", student=True) for name in ("Zoë", "yan"))
    goals = (
        Goal("points", "some points", "rival", 4, points=1),
        Goal("solves", "solves it", positions=("w............... b",), needed=1),
    )
    given = plan("grading", game="cohcoh", players=(Contestant("rival", bot="random"), *students), goals=goals)
    state = simulate(given, "I am Zoë")
    for name in given.students:
        answer = Answer(name, "solves it", goals[1].positions[0], "a1", False, 0.3, f"{name} crashed")
        state.answers[name, answer.goal, answer.position] = answer
    names = pseudonyms(given, tmp_path)
    assert names == pseudonyms(given, tmp_path)
    assert set(names) == {"Zoë", "yan"}
    data = pack(*anonymize(given, state, names))
    assert verify(write(tmp_path, data))[0] == []
    for content in unpack((tmp_path / "cup.zip").read_bytes()).values():
        assert not any(word in content.decode() for word in ("Zoë", "yan", "/home/x", "r1\n"))
    with pytest.raises(TournamentError, match="there are no students"):
        pseudonyms(plan("match", "a", "b"), tmp_path)
