"""Manage the accounts of a server.

The holder of an account's token can play rated games, and no other player can use its name.

parlour account add alice               create an account and print its token, once
parlour account list                    list the accounts
parlour account revoke alice            make the token invalid and the name free
parlour account add alice --db /var/lib/parlour/parlour.db

Accounts are in the server's database. Run this command in the folder where the server was started,
or give the same --db. The server may be running.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from parlour.cli.database import opened_store
from parlour.errors import UserError
from runtime.printable import print_error, print_line, print_lines, printable
from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.auth import check_new_name
from server.ids import new_player_id
from server.storage.interface import Store, StoreError, new_secret, without_password


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="add|list|revoke", choices=("add", "list", "revoke"), help="what to do")
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of the account (not for list)")
    default = os.environ.get("PARLOUR_DB", Settings().db)
    parser.add_argument("--db", default=default, metavar="FILE|URL", help=f"the server's database (default: {default})")


def run(args: Namespace) -> int:
    if (args.name is None) != (args.action == "list"):
        needs = "needs no name: parlour account list" if args.action == "list" else "needs a name, for example alice"
        raise UserError(f"account {args.action} {needs}")
    try:
        created = asyncio.run(run_action(args))
    except (StoreError, Refusal) as error:
        raise UserError(str(error)) from None
    if created:
        place = without_password(args.db) if "://" in args.db else Path(args.db).absolute()
        print_error(f"created a new database; the token is for a server with --db {place}")
    return 0


async def run_action(args: Namespace) -> bool:
    """Add, list or revoke. Return whether the database was created for it. Raises StoreError, Refusal or UserError."""
    async with opened_store(args.db, "accounts", create=args.action == "add") as (store, created):
        now = int(time.time() * 1000)
        if args.action == "list":
            await show(store)
        elif args.action == "add":
            await add(store, args.name, now)
        elif not await store.revoke_account(args.name, now):
            raise UserError(f"there is no account {args.name[:40]}; 'parlour account list' lists all")
    return created


async def add(store: Store, name: str, now: int) -> None:
    check_new_name(name, Settings().name_length)
    token = new_secret()
    if not await store.add_account(name, new_player_id(), token, now):
        raise UserError(f"there is already an account {name}; 'parlour account revoke {name}' frees the name")
    print_line(token)
    if sys.stderr.isatty():
        print_lines(
            f"\nThis is the token of {name}. It is not shown again: store it now. {name} uses it like this:\n"
            f"  export PARLOUR_TOKEN={token}\n"
            f"  parlour play conga --pair --rated --url ws://THIS-SERVER:{Settings().port}/ws",
            file=sys.stderr,
        )


async def show(store: Store) -> None:
    for account in await store.accounts():
        state = "active" if account.revoked_at is None else f"revoked {day(account.revoked_at)}"
        print_lines(f"{printable(account.name)}\t{day(account.created_at)}\t{state}")


def day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
