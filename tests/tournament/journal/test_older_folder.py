"""A tournament that an older version began can be resumed.

data/older is the folder of a tournament of four games: two have ended, and one was running when the runner was killed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from client.tournament.export.bundle import pack
from client.tournament.export.verify import verify
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from tests.tournament.live import run

OLDER = Path(__file__).parent / "data" / "older"


async def test_tournament_of_older_version_is_resumed(tmp_path: Path) -> None:
    folder = Folder(Path(shutil.copytree(OLDER, tmp_path / "cup")))
    before = folder.state()
    assert sorted(before.results) == [1, 2]
    assert list(before.rooms) == [3]
    log = folder.log_file.read_bytes()
    await run(folder)
    assert folder.log_file.read_bytes().startswith(log), "the log is only appended to"
    plan, state = folder.plan(), folder.state()
    assert standings(plan, state.results).finished
    assert {number: state.results[number] for number in (1, 2)} == before.results
    (tmp_path / "cup.zip").write_bytes(pack(plan, state, folder.path))
    assert verify(tmp_path / "cup.zip") == ([], 4, [], 0)
