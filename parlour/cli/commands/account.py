"""Manage the accounts of a server.

The holder of an account's token can play rated games, and no other player can use its name.

parlour account add alice                               create an account and print its token, once
parlour account list                                    list the accounts
parlour account revoke alice                            make the token invalid and the name free
parlour account rotate alice                            print a new token; the old one is invalid
parlour account import roster.csv --tokens tokens       create accounts for a class: a file each
parlour account import roster.csv --sheet sheet.html    the same, as a sheet to print and cut
parlour account export > accounts.csv                   write the accounts as CSV, without tokens
parlour account key alice id_ed25519.pub                let a public key log in as alice, over SSH
parlour account keys                                    list these keys
parlour account unkey SHA256:…                          remove a key
parlour account add alice --db /var/lib/parlour/parlour.db

Accounts are in the server's database. Run this command in the folder where the server was started,
or give the same --db. The server may be running. A roster has a column 'name'. Accounts that exist
already are skipped, so that an import can be repeated.
"""

from __future__ import annotations

import asyncio
import csv
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from client.presentation.texts import counted
from parlour.cli import roster
from parlour.cli.database import opened_store
from parlour.errors import UserError
from parlour.input_file import read_text
from protocol.usernames import fold
from runtime.printable import print_error, print_line, print_lines, printable
from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.player_names import check_new_name
from server.ids import new_player_id
from server.ssh.public_keys import BadKey, PublicKey, read_public_keys
from server.storage.account_keys import AccountKey
from server.storage.interface import Account, Store, StoreError, new_secret, without_password

ACTIONS = ("add", "list", "revoke", "rotate", "import", "export", "key", "keys", "unkey")
WITHOUT_NAME = ("list", "export", "keys")
EXAMPLES = {
    "import": "a file, for example roster.csv",
    "unkey": "the fingerprint of a key: 'parlour account keys' lists them",
}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="|".join(ACTIONS), choices=ACTIONS, help="what to do")
    text = "the account; the file of a roster (CSV) for import; a fingerprint for unkey"
    parser.add_argument("name", metavar="NAME", nargs="?", help=text)
    parser.add_argument("file", metavar="FILE", nargs="?", help="for key: a file of public keys (.pub), or -")
    default = os.environ.get("PARLOUR_DB", Settings().db)
    parser.add_argument("--db", default=default, metavar="FILE|URL", help=f"the server's database (default: {default})")
    group = parser.add_argument_group("import")
    output = group.add_mutually_exclusive_group()
    output.add_argument("--tokens", metavar="DIR", type=Path, help="write a file per account to this folder")
    output.add_argument("--sheet", metavar="FILE", type=Path, help="write a page to print, with all tokens")
    text = "the address of the server, for these files"
    group.add_argument("--url", default=f"ws://THIS-SERVER:{Settings().port}/ws", help=text)


def run(args: Namespace) -> int:
    if (args.name is None) != (args.action in WITHOUT_NAME):
        example = EXAMPLES.get(args.action, "a name, for example alice")
        needs = f"needs no name: parlour account {args.action}" if args.name is not None else f"needs {example}"
        raise UserError(f"account {args.action} {needs}")
    if (args.action == "key") != (args.file is not None):
        needs_file = "needs a file: parlour account key alice id_ed25519.pub"
        how = needs_file if args.action == "key" else "takes one name only"
        raise UserError(f"account {args.action} {how}")
    if (args.action == "import") != bool(args.tokens or args.sheet):
        how = "needs --tokens DIR or --sheet FILE" if args.action == "import" else "takes no --tokens and no --sheet"
        raise UserError(f"account {args.action} {how}")
    try:
        created = asyncio.run(run_action(args))
    except (StoreError, Refusal) as error:
        raise UserError(str(error)) from None
    if created:
        place = without_password(args.db) if "://" in args.db else Path(args.db).absolute()
        tokens = "tokens are" if args.action == "import" else "token is"
        print_error(f"created a new database; the {tokens} for a server with --db {place}")
    return 0


async def run_action(args: Namespace) -> bool:
    """Do what is asked. Return whether the database was created for it. Raises StoreError, Refusal or UserError."""
    names = roster.read_names(Path(args.name)) if args.action == "import" else []
    keys = read_keys(args.file) if args.action == "key" else []
    for line, name in names:
        check_roster_name(name, line)
    async with opened_store(args.db, "accounts", create=args.action in ("add", "import")) as (store, created):
        now = int(time.time() * 1000)
        match args.action:
            case "list":
                await show(store)
            case "export":
                await export(store)
            case "add":
                await add(store, args.name, now)
            case "rotate":
                await rotate(store, args.name)
            case "key":
                await add_keys(store, args.name, keys, now)
            case "keys":
                await show_keys(store)
            case "unkey":
                await remove_key(store, args.name)
            case "import":
                await import_accounts(store, [name for _, name in names], args, now)
            case _ if not await store.revoke_account(args.name, now):
                raise unknown_account(args.name)
    return created


def unknown_account(name: str) -> UserError:
    return UserError(f"there is no account {name[:40]}; 'parlour account list' lists all")


def check_roster_name(name: str, line: int) -> None:
    """Raise UserError that names the line, before any account is created."""
    try:
        check_new_name(name, Settings().name_length)
    except Refusal as error:
        raise UserError(f"line {line} of the roster, {name[:40]!r}: {error}") from None


async def import_accounts(store: Store, names: list[str], args: Namespace, now: int) -> None:
    """Create the accounts that are missing. The tokens are written first: they cannot be read from the store later."""
    known = {fold(account.name) for account in await store.accounts() if account.revoked_at is None}
    tokens = {name: new_secret() for name in names if fold(name) not in known}
    if tokens and args.sheet is not None:
        roster.write_sheet(args.sheet, tokens, args.url)
    elif tokens:
        roster.write_files(args.tokens, tokens, args.url)
    for name, token in tokens.items():
        if not await store.add_account(name, new_player_id(), token, now):
            raise UserError(f"another process has just created the account {name}: run the import again")
    skipped = len(names) - len(tokens)
    where = f"; tokens in {args.sheet or args.tokens}" if tokens else ""
    print_line(f"{counted(len(tokens), 'account')} created, {skipped} existed already{where}")


async def rotate(store: Store, name: str) -> None:
    token = new_secret()
    if not await store.rotate_account(name, token):
        raise unknown_account(name)
    print_line(token)
    if sys.stderr.isatty():
        print_error(f"this is the new token of {name}, not shown again; clients that are connected stay connected")


async def export(store: Store) -> None:
    """Print the accounts as CSV. Tokens are stored as hashes only, so there are none to write."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["name", "created", "state"])
    for account in sorted(await store.accounts(), key=lambda account: (fold(account.name), account.created_at)):
        writer.writerow([roster.cell(account.name), day(account.created_at), state_text(account)])


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
        print_lines(f"{printable(account.name)}\t{day(account.created_at)}\t{state_text(account)}")


# -- public keys


def read_keys(file: str) -> list[PublicKey]:
    """Return the public keys of a file. Raises UserError."""
    try:
        return read_public_keys(read_text(file))
    except BadKey as error:
        raise UserError(f"{file}: {error}") from None


async def add_keys(store: Store, name: str, keys: list[PublicKey], now: int) -> None:
    """Let public keys log in to an account over SSH. Raises UserError."""
    account = await store.account_named(name)
    if account is None:
        raise unknown_account(name)
    for key in keys:
        if not await store.add_account_key(AccountKey(account.name, key.fingerprint, key.comment, now)):
            owner = await store.account_of_key(key.fingerprint)
            how = f"remove it first with parlour account unkey {key.fingerprint}"
            raise UserError(f"the key {key.fingerprint} belongs to the account {owner}: {how}")
        print_line(f"{key.fingerprint} logs in as {account.name}")


async def show_keys(store: Store) -> None:
    for key in await store.account_keys():
        print_lines("\t".join([printable(key.account), key.fingerprint, day(key.added_at), printable(key.comment)]))


async def remove_key(store: Store, fingerprint: str) -> None:
    owner = await store.account_of_key(fingerprint)
    if not owner:
        raise UserError(f"no account has the key {fingerprint[:60]}; 'parlour account keys' lists all")
    await store.remove_account_key(fingerprint)
    print_line(f"{fingerprint} no longer logs in as {owner}; open SSH sessions continue")


def state_text(account: Account) -> str:
    return "active" if account.revoked_at is None else f"revoked {day(account.revoked_at)}"


def day(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d")
