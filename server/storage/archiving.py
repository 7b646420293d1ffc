"""Move the rooms of old months into files, and back.

An archive is a SQLite database like any other, with rooms, their events and reviews only: the commands that read a
database read it too. A month is first written to the file, then compared, and only then removed. After a crash, run it
again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import groupby
from typing import NamedTuple

from protocol.codec import decode_event
from server.domain.room import replay
from server.ids import first_room_id, month_of, next_month
from server.storage.copying import Progress, stored_months
from server.storage.interface import Store, StoreError
from server.storage.tables import EVENTS, REVIEWS, ROOM_COLUMNS, ROOMS, Row, check_types

ROOMS_PER_BATCH = 100
DAY_MS = 86_400_000
STATUS, CHANGED_AT = ROOM_COLUMNS.index("status"), ROOM_COLUMNS.index("changed_at")


class Moved(NamedTuple):
    """How much of a month was moved, and how many rooms stay: they have not ended, or clients may still be in them."""

    rooms: int
    events: int
    staying: int


class Restored(NamedTuple):
    """How many rooms were put back, how many were there already, and how many were left out: they have not ended."""

    rooms: int
    known: int
    left_out: int


async def months_before(store: Store, month: str) -> list[str]:
    """Return the months before this one that have rooms."""
    found = []
    for stored in (await stored_months(store, month))[:-1]:
        if await store.read_rows(ROOMS, *borders(stored), limit=1):
            found.append(stored)
    return found


def borders(month: str) -> tuple[Row, Row]:
    """Return the keys between which the rooms of a month are."""
    return (first_room_id(month),), (first_room_id(next_month(month)),)


async def batches(store: Store, month: str) -> AsyncIterator[list[Row]]:
    """Yield the rows of the rooms of a month, in batches."""
    after, until = borders(month)
    while rows := await store.read_rows(ROOMS, after, until, limit=ROOMS_PER_BATCH):
        yield rows
        after = rows[-1][:1]


async def archive_month(store: Store, archive: Store, month: str, file: str, now: int, progress: Progress) -> Moved:
    """Write the rooms of a month that ended at least a day ago to an archive, compare them, and remove them.

    Raises StoreError if a room has no log, or if the finished archive differs.
    """
    await archive.begin_copy(f"{month} of a server", now)
    before = now - DAY_MS
    moved = await write_month(store, archive, month, before, progress)
    await compare_month(store, archive, month, before, progress)
    await archive.end_copy(now)
    if moved.rooms:
        total = await count_rooms(archive)
        await store.set_archive((month, file, *total, now))
        if moved.staying or not await store.drop_month(month, moved.rooms):
            await remove_month(store, month, before, progress)
    return moved


def ended_rooms(rows: list[Row], before: int) -> list[Row]:
    """Return the rows of rooms that ended before a time."""
    return [row for row in rows if row[STATUS] == "ended" and row[CHANGED_AT] < before]


async def write_month(store: Store, archive: Store, month: str, before: int, progress: Progress) -> Moved:
    rooms = events = staying = 0
    async for rows in batches(store, month):
        ended = ended_rooms(rows, before)
        staying += len(rows) - len(ended)
        names = [row[0] for row in ended]
        if names:
            log = await store.rows_of(EVENTS, names)
            if missing := set(names) - {event[0] for event in log}:
                raise StoreError(f"room {min(missing)} has no events: 'parlour db check' lists what is wrong")
            await archive.put_rooms(ended, log, await store.rows_of(REVIEWS, names))
            rooms, events = rooms + len(ended), events + len(log)
        progress(f"archiving {month}: rooms", rooms)
    return Moved(rooms, events, staying)


async def compare_month(store: Store, archive: Store, month: str, before: int, progress: Progress) -> None:
    """Raise StoreError unless the archive has every room of the month that ended before a time."""
    count = 0
    async for rows in batches(store, month):
        ended = ended_rooms(rows, before)
        names = [row[0] for row in ended]
        if names and not (
            await archive.rows_of(ROOMS, names) == ended
            and await archive.rows_of(REVIEWS, names) == await store.rows_of(REVIEWS, names)
            and await archive.rows_of(EVENTS, names) == await store.rows_of(EVENTS, names)
        ):
            raise StoreError(f"the archive of {month} differs from the database, which is unchanged: run it again")
        count += len(ended)
        progress(f"verifying {month}: rooms", count)


async def remove_month(store: Store, month: str, before: int, progress: Progress) -> None:
    count = 0
    async for rows in batches(store, month):
        ended = [row[0] for row in ended_rooms(rows, before)]
        if ended:
            await store.remove_rooms(ended)
        count += len(ended)
        progress(f"removing {month}: rooms", count)


async def count_rooms(archive: Store) -> tuple[int, int]:
    rows, _ = await archive.sizes()
    return rows["rooms"], rows["events"]


async def restore(archive: Store, store: Store, progress: Progress) -> Restored:
    """Put the rooms of an archive back, except for those that could go on: an archive has none. Raises WrongType."""
    restored = known = left_out = 0
    after: Row = ()
    months: set[str] = set()
    while rows := await archive.read_rows(ROOMS, after, limit=ROOMS_PER_BATCH):
        names = [row[0] for row in rows]
        existing = {row[0] for row in await store.rows_of(ROOMS, names)}
        missing = [row for row in rows if row[0] not in existing]
        if new := {month_of(name) for name in names} - months - {""}:
            await store.prepare_log(sorted(new))
            months |= new
        if missing:
            events = await archive.rows_of(EVENTS, [row[0] for row in missing])
            logs = {room: [event[2] for event in log] for room, log in groupby(events, lambda event: event[0])}
            ended = [row for row in missing if not is_open(row, logs.get(row[0], []))]
            if ended:
                lost = {row[0] for row in ended}
                ended_events = [event for event in events if event[0] in lost]
                reviews = await archive.rows_of(REVIEWS, sorted(lost))
                for table, found in ((ROOMS, ended), (EVENTS, ended_events), (REVIEWS, reviews)):
                    check_types(table, found)
                await store.put_rooms(ended, ended_events, reviews)
            restored, left_out = restored + len(ended), left_out + len(missing) - len(ended)
        known += len(existing)
        progress("restoring rooms", restored)
        after = rows[-1][:1]
    for month in sorted(months):
        await store.set_archive((month, "", 0, 0, 0))
    return Restored(restored, known, left_out)


def is_open(row: Row, log: list[bytes]) -> bool:
    """Return whether a room could go on, by its row or by its log. A log that cannot be read is never played."""
    try:
        return row[STATUS] != "ended" or replay(map(decode_event, log)).status != "ended"
    except Exception:  # damaged data can raise anything
        return False
