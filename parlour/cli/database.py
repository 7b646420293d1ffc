"""Open the database of a server for a command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from runtime.printable import print_error
from server.storage.factory import open_store, refuse_unfinished_copy, wrap_store_errors
from server.storage.interface import Store

BUSY_TIMEOUT_S = 120.0  # while a server, or what is left of a killed one, writes; a command can wait longer than a game
NOTICE_S = 1.0  # after this long, say what the command waits for


@asynccontextmanager
async def opened_store(
    db: str,
    table: str,
    *,
    create: bool = False,
    serving: bool = False,
    read_only: bool = False,
    unfinished: bool = False,
) -> AsyncIterator[tuple[Store, bool]]:
    """Open the store, and yield it with whether it is new. `table` is checked for damage after a failure.

    `unfinished`: accept a database that holds only a part of what it is copied from.

    Raises StoreError.
    """
    store = open_store(db, busy_s=BUSY_TIMEOUT_S)
    why = f"waiting for a process that writes to the database, at most {BUSY_TIMEOUT_S:g} seconds"
    notice = asyncio.get_running_loop().call_later(NOTICE_S, print_error, why)
    try:
        new = await store.open(create, serving, read_only)
    finally:
        notice.cancel()
    try:
        async with wrap_store_errors(store, table):
            if not unfinished:
                await refuse_unfinished_copy(store)
            yield store, new
    finally:
        await store.close()
