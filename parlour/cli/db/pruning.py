"""`parlour db prune`: delete at once what a server deletes in small steps."""

from __future__ import annotations

import time

from parlour.cli.database import opened_store
from parlour.cli.progress import ProgressLine
from runtime.printable import print_line
from server.config import Settings
from server.metrics import Metrics
from server.storage.interface import Store
from server.storage.retention import Retention

KINDS = {"rooms": "rooms without a result", "sessions": "sessions", "chat": "chat lines"}
KIND_OF_ONE = {"rooms": "room without a result", "sessions": "session", "chat": "chat line"}


async def prune(settings: Settings, dry_run: bool) -> None:
    """Open the database for this process alone, and prune it. Raises StoreError."""
    progress = ProgressLine()
    async with opened_store(settings.db, "rooms", serving=not dry_run, read_only=dry_run) as (store, _):
        retention = Retention(
            store=store,
            settings=settings,
            metrics=Metrics(),
            now=lambda: time.time_ns() // 1_000_000,
            is_loaded=lambda room: False,
            connected=list,
            on_batch=lambda kind, count: progress.show(f"deleting {KINDS[kind]}", count),
            pause_s=0.0,
        )
        if dry_run:
            rooms, sessions = await store.count_prunable(retention.aborted_before, retention.sessions_before)
            print_line(f"would delete {counted_kind('rooms', rooms)} and {counted_kind('sessions', sessions)}")
            print_line(f"would empty the chat of games that ended more than {settings.keep_chat:g} days ago")
        else:
            done = await retention.prune()
            progress.clear()
            print_line(f"deleted {', '.join(counted_kind(kind, done[kind]) for kind in KINDS)}")
        await show_rest(store)


def counted_kind(kind: str, number: int) -> str:
    """Return the number of things of a kind: `1 session`, `2 rooms without a result`."""
    return f"{number} {(KIND_OF_ONE if number == 1 else KINDS)[kind]}"


async def show_rest(store: Store) -> None:
    rows, sizes = await store.sizes()
    names = {table: table.removesuffix("s") if count == 1 else table for table, count in rows.items()}
    print_line(f"in the database: {', '.join(f'{count} {names[table]}' for table, count in rows.items())}")
    print_line(f"bytes: {', '.join(f'{count} {part}' for part, count in sizes.items())}")
