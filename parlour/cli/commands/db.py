"""Maintain the database of a server.

parlour db backup parlour-2026-11-18.db    copy a SQLite file while the server runs
parlour db check                           compare the index with the logs; a line for each fault
parlour db copy parlour.db postgresql://parlour@localhost/parlour    move to PostgreSQL
parlour db copy postgresql://parlour@localhost/parlour parlour.db    and back
parlour db archive archives --before 2026-01    move the games of 2025 and earlier into files
parlour show 1rca5jyrpnv --db archives/parlour-2025-12.db    look at one of them
parlour db restore archives/parlour-2025-12.db    put a month back
parlour db prune                           delete what the server would delete, at once
parlour db prune --dry-run                 say what would be deleted
parlour db prune --keep-aborted 7          keep rooms without a result for 7 days

copy takes everything: rooms, accounts, sessions, ratings. It needs a new target, and no server may
run on either side. If it is interrupted, run it again: it continues. At the end it reads both sides
and prints the number of rows and a digest of each table. A server refuses an unfinished copy.

check only reads, and may run beside a server. Its exit code is 1 if it finds a fault. For backups
of PostgreSQL use pg_dump.

archive writes a file for each month: a SQLite database with the rooms that were created then and
have ended. It compares the file with the database, and then removes the rooms there. Ratings stay.
With a SQLite file, stop the server first.

prune: a server that runs deletes the same by itself, in small steps. With a SQLite file, stop the
server first. Games with a result and ratings always stay. --dry-run only reads.
"""

from __future__ import annotations

import asyncio
import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from parlour.errors import UserError
from server.config import BadSetting, Settings, read_settings
from server.storage.interface import StoreError

KEEP_FLAGS = ("keep_aborted", "keep_chat", "keep_sessions")
NAMES = {  # what each action needs
    "archive": ("FOLDER",),
    "backup": ("FILE",),
    "check": (),
    "copy": ("SOURCE", "TARGET"),
    "prune": (),
    "restore": ("FILE",),
}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="|".join(NAMES), choices=NAMES, help="what to do")
    names = (
        "FILE for backup and restore; FOLDER for archive; SOURCE and TARGET for copy: a SQLite file or postgresql://…"
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=names)
    parser.add_argument(
        "--db", default=SUPPRESS, metavar="FILE|URL", help="the server's database (default: PARLOUR_DB)"
    )
    group = parser.add_argument_group("archive")
    group.add_argument("--before", metavar="YYYY-MM", help="archive the months before this one")
    group = parser.add_argument_group("prune")
    for name in KEEP_FLAGS:
        setting = Settings.__dataclass_fields__[name]
        help = f"{setting.metadata['help']} (default: {setting.default:g})"
        group.add_argument(f"--{name.replace('_', '-')}", default=SUPPRESS, metavar="DAYS", help=help)
    group.add_argument("--dry-run", action="store_true", help="delete nothing")


def run(args: Namespace) -> int:
    check_names(args)
    given = {name: vars(args).get(name) for name in ("db", *KEEP_FLAGS)}
    try:
        return asyncio.run(run_action(args, read_settings(given, os.environ)))
    except (BadSetting, StoreError) as error:
        raise UserError(str(error)) from None


def check_names(args: Namespace) -> None:
    """Raise UserError if an action has too few or too many names, or a flag of another action."""
    needed = NAMES[args.action]
    if len(args.names) != len(needed):
        wanted = f"needs {' and '.join(needed)}" if needed else "needs no name"
        raise UserError(f"db {args.action} {wanted}: parlour db {' '.join((args.action, *needed))}")
    if args.action != "prune" and (args.dry_run or any(name in args for name in KEEP_FLAGS)):
        raise UserError(f"--dry-run and --keep-… are for db prune, not for db {args.action}: leave them out")
    if (args.action == "archive") != (args.before is not None):
        how = "needs --before, for example --before 2026-01" if args.action == "archive" else "takes no --before"
        raise UserError(f"db {args.action} {how}")
    if args.action == "copy" and "db" in args:
        raise UserError("db copy takes no --db: name the source and the target")


async def run_action(args: Namespace, settings: Settings) -> int:
    """Do what is asked. Return the exit code. Raises StoreError or UserError."""
    match args.action:
        case "archive":
            from parlour.cli.db.archiving import archive

            await archive(settings.db, Path(args.names[0]), args.before)
        case "restore":
            from parlour.cli.db.archiving import restore_archive

            await restore_archive(args.names[0], settings.db)
        case "backup":
            from parlour.cli.db.copying import back_up

            await back_up(settings.db, *args.names)
        case "check":
            from parlour.cli.db.checking import check

            return 1 if await check(settings.db) else 0
        case "copy":
            from parlour.cli.db.copying import copy_database

            await copy_database(*args.names)
        case _:
            from parlour.cli.db.pruning import prune

            await prune(settings, args.dry_run)
    return 0
