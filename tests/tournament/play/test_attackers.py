"""A tournament with hostile programs in a jail: each loses only its own games, and the games beside it never notice."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from client.tournament.play.player_process import shows_folder
from tests.client.programs.attackers import ATTACKS, SECRET, TIGHT, attacker, needs_jail
from tests.tournament.live import Recorder, plan_of, run

HONEST = tuple(Contestant(f"honest-{number}", bot=("random", "greedy")[number % 2]) for number in range(3))
QUICK = ("forks", "files")


def hostile(folder: Path, name: str) -> Contestant:
    secret = folder / "honest" / "secret.txt"
    argv = attacker(folder / name, name, NEIGHBOUR=str(secret), PORT=1)
    return Contestant(
        name, exec=shlex.join(argv), workdir=str(folder / name), student=True,
        memory=TIGHT.memory, processes=TIGHT.processes, disk=TIGHT.disk,
    )  # fmt: skip


@needs_jail
@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(ATTACKS), marks=pytest.mark.long)])
async def test_games_beside_hostile_programs_never_notice(names: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "honest").mkdir()
    (tmp_path / "honest" / "secret.txt").write_text(SECRET)
    folder, recorder = Folder(tmp_path / "cup"), Recorder()
    attackers = tuple(hostile(tmp_path, name) for name in names)
    options = {"n": 3, "k": 3}
    folder.create(
        plan_of("round-robin", (*HONEST, *attackers), jail="auto", game="cohcoh", options=options, opening_plies=2)
    )
    await run(folder, recorder=recorder)
    assert sum(message.startswith("jail: bubblewrap") for message in recorder.messages) == 1
    known = standings(folder.plan(), folder.state().results)
    assert known.finished
    honest = {player.name for player in HONEST}
    beside = [game for game in known.schedule.games if set(game.seats) <= honest]
    assert len(beside) == len(HONEST) * (len(HONEST) - 1)
    assert not any(folder.state().results[game.number].forfeit for game in beside)
    assert {forfeit.loser for forfeit in known.forfeits} == set(names)
    for forfeit in known.forfeits:
        assert forfeit.reason == "crashed", forfeit
        report = json.loads((folder.path / forfeit.evidence / "report.json").read_text())
        assert report["jail"] == "bwrap"
        assert SECRET not in str(report)


def test_folder_that_others_use_is_not_shown_in_a_jail(tmp_path: Path) -> None:
    ann, bob = (Contestant(name, exec="./a", workdir=str(tmp_path / name)) for name in ("ann", "bob"))
    both = Contestant("both", exec="./a", workdir=str(tmp_path))
    folder = Folder(tmp_path / "cup")
    jailed = plan_of("round-robin", (ann, bob), jail="bwrap")
    assert shows_folder(ann, jailed, folder)
    assert not shows_folder(both, plan_of("round-robin", (ann, both), jail="bwrap"), folder)
    assert shows_folder(both, plan_of("round-robin", (ann, both)), folder)
