"""`parlour db archive` and `parlour db restore`."""

from __future__ import annotations

import re
import time
from pathlib import Path

from client.presentation.texts import counted
from parlour.cli.database import opened_store
from parlour.cli.progress import ProgressLine
from parlour.errors import UserError
from runtime.printable import print_line
from server.ids import month_at
from server.storage.archiving import archive_month, months_before, restore

MONTH = re.compile(r"20\d\d-(0[1-9]|1[0-2])")


async def archive(db: str, folder: Path, before: str) -> None:
    """Move the months before one into files, and say what was moved. Raises StoreError or UserError."""
    now = int(time.time() * 1000)
    if MONTH.fullmatch(before) is None:
        raise UserError(f"{before[:40]!r} is not a month: write --before 2026-01")
    if before > month_at(now):
        raise UserError(f"--before {before} is in the future: the latest is {month_at(now)}, this month")
    if not folder.is_dir():  # noqa: ASYNC240  # once, before anything else runs
        raise UserError(f"there is no folder {folder}: create it")
    progress = ProgressLine()
    async with opened_store(db, "rooms", serving=True) as (store, _):
        months = await months_before(store, before)
        if not months:
            print_line(f"nothing to archive: no room was created before {before}")
        for month in months:
            file = folder / f"parlour-{month}.db"
            async with opened_store(str(file), "rooms", create=True, serving=True, unfinished=True) as (target, _):
                moved = await archive_month(store, target, month, str(file), now, progress.show)
            progress.clear()
            stay = f"; {moved.staying} kept: not ended, or ended less than a day ago" if moved.staying else ""
            print_line(f"{month}: {counted(moved.rooms, 'room')}, {counted(moved.events, 'event')} in {file}{stay}")


async def restore_archive(file: str, db: str) -> None:
    """Put the rooms of an archive back into a database. Raises StoreError."""
    progress = ProgressLine()
    async with (
        opened_store(file, "rooms") as (archive, _),
        opened_store(db, "rooms", serving=True) as (store, _),
    ):
        restored = await restore(archive, store, progress.show)
    progress.clear()
    left_out = f"; {restored.left_out} left out: not ended" if restored.left_out else ""
    print_line(f"{counted(restored.rooms, 'room')} restored from {file}; {restored.known} were there already{left_out}")
