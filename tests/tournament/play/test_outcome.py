"""Every kind of forfeit is recognized and documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from client.tournament.play.outcome import read_room
from tests.tournament.live import plan_of, run
from tests.tournament.programs import FAILING, program


async def test_each_failure_has_forfeit_reason_and_evidence(tmp_path: Path) -> None:
    players = tuple(program(tmp_path, name, then) for name, then in FAILING.items())
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("gauntlet", (Contestant("random", bot="random"), *players), clock="5s", opening_plies=0))
    await run(folder)
    known = standings(folder.plan(), folder.state().results)
    reasons = {row.name: dict(row.forfeits) for row in known.rows}
    assert reasons == {"random": {}, "crasher": {"crashed": 2}, "cheat": {"garbage": 2}, "sleeper": {"time": 2}}
    assert known.row("random").points == 6
    for forfeit in known.forfeits:
        assert (folder.path / forfeit.evidence / "reproduce.sh").is_file(), forfeit


@pytest.mark.parametrize("text", ["[" * 60_000, '{"room": "r"}' + " " * (1 << 17), "7", "{}"])
def test_hostile_report_names_no_room(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text('{"room": "r"}')
    assert read_room(tmp_path / "report.json") == "r"
    (tmp_path / "report.json").write_text(text)
    assert read_room(tmp_path / "report.json") == ""
