"""Copy a database into another one, of the same kind or of another.

Tables are walked in the order of their keys, in batches. A batch that differs is replaced. So a copy that was
interrupted goes on where it was, and the last walk, which changes nothing, proves that both hold the same rows.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from server.ids import FIRST_MONTH, month_at, month_of, next_month
from server.storage.interface import Store, StoreError
from server.storage.tables import (
    ACCOUNTS,
    EVENTS,
    RATINGS,
    REVIEWS,
    ROOMS,
    ROWS_PER_BATCH,
    SESSIONS,
    TABLES,
    Table,
    check_types,
)

Progress = Callable[[str, int], None]  # what is done, and the number of rows so far


class Walk(NamedTuple):
    """What was found in a table of two databases."""

    table: str
    rows: int
    digest: str  # of the rows of the source
    equal: bool  # whether the target held the same rows


async def copy(source: Store, target: Store, name: str, now: int, progress: Progress) -> list[Walk]:
    """Copy all tables, and verify them. `name`: of the source. Return what the last walk found.

    Raises StoreError if the target holds something else, or if the finished copy differs from the source. Raises
    WrongType.
    """
    await check_target(target, name)
    await target.begin_copy(name, now)
    await target.prepare_log(await stored_months(source, month_at(now)))
    for table in TABLES:
        await walk(source, target, table, progress, repair=True)
    found = [await walk(source, target, table, progress, repair=False) for table in TABLES]
    different = [walked.table for walked in found if not walked.equal]
    if different:
        how = "make sure that no server uses them, and run the command again"
        raise StoreError(f"the copy differs from its source in {', '.join(different)}: {how}")
    await target.end_copy(now)
    return found


async def stored_months(store: Store, last: str) -> list[str]:
    """Return all months from that of the oldest room to the last one."""
    oldest, months = await store.read_rows(ROOMS, limit=1), []
    if oldest:
        month = month_of(oldest[0][0]) or FIRST_MONTH
        while month <= last:
            months.append(month)
            month = next_month(month)
    return months


async def check_target(target: Store, name: str) -> None:
    """Raise StoreError unless the target is empty, or an unfinished copy of this source."""
    of = await target.unfinished_copy()
    if of == name:
        return
    if of:
        raise StoreError(f"the target is an unfinished copy of {of}: finish that one, or give another target")
    for table in (ACCOUNTS, SESSIONS, ROOMS, EVENTS, REVIEWS, RATINGS):
        if await target.read_rows(table, limit=1):
            raise StoreError(f"the target is not empty, it has {table.name}: give a new file or an empty database")


async def walk(source: Store, target: Store, table: Table, progress: Progress, repair: bool) -> Walk:
    """Compare a table, and with `repair` replace what differs. Raises WrongType."""
    count, equal, digest = 0, True, sha256()
    after: tuple[object, ...] = ()
    while True:
        rows = await source.read_rows(table, after, limit=ROWS_PER_BATCH)
        check_types(table, rows)
        last = rows[-1][: table.key_length] if len(rows) == ROWS_PER_BATCH else ()
        if await target.read_rows(table, after, last, limit=len(rows) + 1) != rows:
            equal = False
            if repair:
                await target.replace_rows(table, after, last, rows)
        for row in rows:
            digest.update(repr(row).encode())
        count += len(rows)
        progress(f"{'copying' if repair else 'verifying'} {table.name}", count)
        if not last:
            return Walk(table.name, count, digest.hexdigest(), equal)
        after = last
