"""Rooms that are missing in the log."""

from __future__ import annotations

from pathlib import Path

from client.tournament.journal.folder import Folder
from tests.tournament.live import contestants, moves, plan_of, run, server_with_bots


async def test_unlogged_rooms_are_found_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", contestants(3)))
    async with server_with_bots(tmp_path, 3) as url:
        await run(folder, url)
        before = moves(folder)
        lines = folder.log_file.read_text().splitlines(keepends=True)
        rooms = {result.room for result in folder.state().results.values()}
        folder.log_file.write_text("".join(lines[:2]) + lines[2][:17])  # as after a power failure
        await run(folder, url)
    assert moves(folder) == before
    assert {result.room for result in folder.state().results.values()} == rooms
