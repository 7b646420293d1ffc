"""Look after the database of a server.

parlour db prune                        delete what the server would delete, at once
parlour db prune --dry-run              say what would be deleted
parlour db prune --keep-aborted 7       keep rooms without a result for 7 days

A server that runs deletes the same by itself, in small steps. With a SQLite file, stop the server
first. Games with a result and ratings always stay. --dry-run only reads.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import SUPPRESS, ArgumentParser, Namespace

from parlour.cli.database import opened_store
from parlour.errors import UserError
from runtime.printable import print_line
from server.config import BadSetting, Settings, read_settings
from server.metrics import Metrics
from server.rooms.retention import Retention
from server.storage.interface import Store, StoreError

KEEP_FLAGS = ("keep_aborted", "keep_chat", "keep_sessions")
KINDS = {"rooms": "rooms without a result", "sessions": "sessions", "chat": "chat messages"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="prune", choices=("prune",))
    parser.add_argument("--db", default=SUPPRESS, metavar="TEXT", help="the server's database (default: PARLOUR_DB)")
    for name in KEEP_FLAGS:
        setting = Settings.__dataclass_fields__[name]
        help = f"{setting.metadata['help']} (default: {setting.default:g})"
        parser.add_argument(f"--{name.replace('_', '-')}", default=SUPPRESS, metavar="DAYS", help=help)
    parser.add_argument("--dry-run", action="store_true", help="delete nothing")


def run(args: Namespace) -> int:
    given = {name: vars(args).get(name) for name in ("db", *KEEP_FLAGS)}
    try:
        asyncio.run(prune(read_settings(given, os.environ), args.dry_run))
    except (BadSetting, StoreError) as error:
        raise UserError(str(error)) from None
    return 0


async def prune(settings: Settings, dry_run: bool) -> None:
    """Open the database for this process alone, and prune it. Raises StoreError."""
    async with opened_store(settings.db, "rooms", serving=not dry_run, read_only=dry_run) as (store, _):
        retention = Retention(
            store=store,
            settings=settings,
            metrics=Metrics(),
            now=lambda: time.time_ns() // 1_000_000,
            is_loaded=lambda room: False,
            connected=list,
            on_batch=show_progress,
            pause_s=0.0,
        )
        if dry_run:
            rooms, sessions = await store.count_prunable(retention.aborted_before, retention.sessions_before)
            print_line(f"would delete {rooms} {KINDS['rooms']} and {sessions} {KINDS['sessions']}")
            print_line(f"would empty the chat of games that ended more than {settings.keep_chat:g} days ago")
        else:
            done = await retention.prune()
            print_line(f"deleted {', '.join(f'{done[kind]} {name}' for kind, name in KINDS.items())}")
        await show_rest(store)


def show_progress(kind: str, count: int) -> None:
    """Report a batch to a person who waits."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{count} more {KINDS[kind]} ")
        sys.stderr.flush()


async def show_rest(store: Store) -> None:
    rows, sizes = await store.sizes()
    print_line(f"in the database: {', '.join(f'{count} {table}' for table, count in rows.items())}")
    print_line(f"bytes: {', '.join(f'{count} {part}' for part, count in sizes.items())}")
