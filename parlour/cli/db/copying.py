"""`parlour db copy` and `parlour db backup`."""

from __future__ import annotations

import json
import time
from pathlib import Path

from parlour.cli.database import opened_store
from parlour.cli.house_bots import read_tokens, token_file, write_tokens
from parlour.cli.progress import ProgressLine
from parlour.errors import UserError
from runtime.printable import print_line
from server.rooms.registry import MAX_CLOCK_LEAD_MS
from server.rooms.status import NODE_TIMEOUT_MS
from server.storage.copying import copy
from server.storage.interface import Store, StoreError, without_password

DIGEST_CHARS = 16  # shown


def place(db: str) -> str:
    """Return the name of a database, the same for each way to write it."""
    return without_password(db) if "://" in db else str(Path(db).resolve())


async def copy_database(source: str, target: str) -> None:
    """Copy a database that no server uses. Raises StoreError or UserError."""
    if place(source) == place(target):
        raise UserError("the source and the target are the same database: give another target")
    progress = ProgressLine()
    async with opened_store(source, "rooms", serving=True, read_only=True) as (old, _):
        await refuse_nodes(old, "source")
        async with opened_store(target, "rooms", create=True, serving=True, unfinished=True) as (new, _):
            await refuse_nodes(new, "target")
            found = await copy(old, new, place(source), int(time.time() * 1000), progress.show)
    progress.clear()
    copy_house_tokens(source, target)
    for walked in found:
        print_line(f"{walked.table:12} {walked.rows:>10} rows  sha256 {walked.digest[:DIGEST_CHARS]}")
    print_line(f"copied and verified: start the server with --db {target}")


def copy_house_tokens(source: str, target: str) -> None:
    """Copy the tokens of the house bots, which are beside a database: without them the bots would be guests."""
    tokens = read_tokens(token_file(source))
    if tokens:
        write_tokens(token_file(target), json.dumps(tokens))
        print_line(f"the tokens of the house bots are in {token_file(target)}: run the server as the same user")


async def refuse_nodes(store: Store, which: str) -> None:
    """Raise StoreError if a node uses a database that several can share. A SQLite file is locked instead."""
    now = await store.time()
    if now is not None and await store.has_living_node(now - NODE_TIMEOUT_MS, now + MAX_CLOCK_LEAD_MS):
        why = f"a node is running on the {which}, and would write to it meanwhile"
        raise StoreError(f"{why}: stop all nodes and wait {NODE_TIMEOUT_MS // 1000} seconds")


async def back_up(db: str, file: str) -> None:
    """Copy a database, which servers may use, into a new file. Raises StoreError."""
    async with opened_store(db, "rooms", read_only=True) as (store, _):
        size = await store.back_up(file)
    print_line(f"wrote {file}: {size} bytes, verified; only you can read it")
