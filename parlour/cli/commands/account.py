"""Names that belong to someone, and the tokens that prove it.

parlour account add alice      prints a token, once: only its hash is kept
parlour account list
parlour account revoke alice   the token is worth nothing from now on, and the name is free

They are kept in the server's database: say so in the folder where the server was started, or with the same --db."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from parlour.cli.main import UserError
from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.auth import check_new_name
from server.ids import new_player_id
from server.storage.factory import open_store, wrap_store_errors
from server.storage.interface import Store, StoreError, new_secret, without_password


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="add|list|revoke", choices=("add", "list", "revoke"))
    parser.add_argument("name", metavar="NAME", nargs="?", help="whose account (not for list)")
    default = os.environ.get("PARLOUR_DB", Settings().db)
    parser.add_argument("--db", default=default, metavar="STR", help=f"the server's database (default: {default})")


def run(args: Namespace) -> int:
    if (args.name is None) != (args.action == "list"):
        raise UserError(f"account {args.action} takes {'no name' if args.action == 'list' else 'a name'}")
    try:
        new = asyncio.run(act(args))
    except (StoreError, Refusal) as error:
        raise UserError(str(error)) from None
    if new:
        place = without_password(args.db) if "://" in args.db else Path(args.db).absolute()
        print(f"parlour: this is a new database; the token is for a server with --db {place}", file=sys.stderr)
    return 0


async def act(args: Namespace) -> bool:
    """Whether the database was made for it."""
    store = open_store(args.db)
    new = await store.open(create=args.action == "add")
    try:
        async with wrap_store_errors(store, "accounts"):  # of a file that may be large
            now = int(time.time() * 1000)
            if args.action == "list":
                await show(store)
            elif args.action == "add":
                await add(store, args.name, now)
            elif not await store.revoke_account(args.name, now):
                raise UserError(f"nobody has the name {args.name[:40]}")
    finally:
        await store.close()
    return new


async def add(store: Store, name: str, now: int) -> None:
    check_new_name(name, Settings().name_length)
    token = new_secret()
    if not await store.add_account(name, new_player_id(), token, now):
        raise UserError(f"the name {name} has an owner; revoke that account first")
    print(token)


async def show(store: Store) -> None:
    for account in await store.accounts():
        state = "active" if account.revoked_at is None else f"revoked {day(account.revoked_at)}"
        print(f"{account.name}\t{day(account.created_at)}\t{state}")


def day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
