"""`parlour db check`."""

from __future__ import annotations

from client.presentation.texts import counted
from parlour.cli.database import opened_store
from parlour.cli.progress import ProgressLine
from runtime.printable import print_line
from server.storage.checking import CHECKING_ROOMS, find_faults


async def check(db: str) -> int:
    """Print the faults of a database, one line each. Return their number. Raises StoreError."""
    progress, count, rooms = ProgressLine(), 0, 0

    def show(what: str, done: int) -> None:
        nonlocal rooms
        rooms = done if what == CHECKING_ROOMS else rooms
        progress.show(what, done)

    async with opened_store(db, "rooms", read_only=True) as (store, _):
        async for fault in find_faults(store, show):
            progress.clear()
            print_line(fault)
            count += 1
        progress.clear()
    found = counted(count, "fault") if count else "no faults"
    print_line(f"{found} in {counted(rooms, 'room')}")
    return count
