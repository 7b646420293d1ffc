"""`parlour db prune`: delete at once what a server deletes in small steps."""

from __future__ import annotations

import time

from parlour.cli.database import opened_store
from parlour.cli.db.progress import ProgressLine
from runtime.printable import print_line
from server.config import Settings
from server.metrics import Metrics
from server.rooms.retention import Retention
from server.storage.interface import Store

KINDS = {"rooms": "rooms without a result", "sessions": "sessions", "chat": "chat messages"}


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
            print_line(f"would delete {rooms} {KINDS['rooms']} and {sessions} {KINDS['sessions']}")
            print_line(f"would empty the chat of games that ended more than {settings.keep_chat:g} days ago")
        else:
            done = await retention.prune()
            progress.clear()
            print_line(f"deleted {', '.join(f'{done[kind]} {name}' for kind, name in KINDS.items())}")
        await show_rest(store)


async def show_rest(store: Store) -> None:
    rows, sizes = await store.sizes()
    print_line(f"in the database: {', '.join(f'{count} {table}' for table, count in rows.items())}")
    print_line(f"bytes: {', '.join(f'{count} {part}' for part, count in sizes.items())}")
