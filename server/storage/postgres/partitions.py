"""The log in PostgreSQL, partitioned by month: ids of rooms begin with the time, and a month can be dropped at once.

What was stored before the log had partitions is one of them, `events_before`. Rooms of a month without a partition are
in `events_other`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import asyncpg

from server.ids import coming_months, first_room_id, month_at, month_of, next_month

LOG_LOCK_KEY = 0x5041524C_0002  # of the advisory lock of nodes that add or drop partitions
BOUND_PREFIX = "events_until_"  # of the name of a constraint, which ends with the bound
BOUND = f"SELECT substr(conname, {len(BOUND_PREFIX) + 1}) FROM pg_constraint WHERE conname LIKE '{BOUND_PREFIX}%'"
PARTITIONS = "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'events'::regclass"
NOW = "SELECT (extract(epoch FROM now()) * 1000)::bigint"
# the month is in another partition, or has rooms in `events_other`
CANNOT_ATTACH = (asyncpg.InvalidObjectDefinitionError, asyncpg.CheckViolationError)
DROP_LOCK_TIMEOUT_MS = 2000  # moves wait at most as long


def partition_name(month: str) -> str:
    return f"events_{month.replace('-', '_')}"


async def lock_log(connection: Any) -> None:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", LOG_LOCK_KEY)


# -- the migration of a log without partitions


async def bound_log(connection: Any) -> None:
    """Prove that no room of the log is of a later month than some bound, so that the log can become a partition.

    The proof reads the whole log. Nodes can write meanwhile, because it is not part of the migration's transaction. The
    bound is at least a month away, so that it does not concern nodes that run.
    """
    async with connection.transaction():
        await lock_log(connection)
        if not await connection.fetchval(BOUND):
            now = await connection.fetchval(NOW)
            newest = await connection.fetchval("SELECT max(room) FROM events") or ""
            bound = first_room_id(next_month(next_month(max(month_at(now), month_of(newest)))))
            if newest >= bound:  # an id without a time: all rooms stay together
                return
            check = f"CONSTRAINT {BOUND_PREFIX}{bound} CHECK (room < '{bound}')"
            await connection.execute(f"ALTER TABLE events ADD {check} NOT VALID")
    bound = await connection.fetchval(BOUND)
    await connection.execute(f"ALTER TABLE events VALIDATE CONSTRAINT {BOUND_PREFIX}{bound}")


async def attach_log(connection: Any) -> None:
    """Make the log that the migration has renamed a partition of the new one. An empty log is dropped."""
    if not await connection.fetchval("SELECT EXISTS (SELECT 1 FROM events_before)"):
        await connection.execute("DROP TABLE events_before")
    else:
        bound = await connection.fetchval(BOUND)
        until = f"'{bound}'" if bound else "MAXVALUE"
        sql = f"ALTER TABLE events ATTACH PARTITION events_before FOR VALUES FROM (MINVALUE) TO ({until})"
        await connection.execute(sql)
    await connection.execute("CREATE TABLE events_other PARTITION OF events DEFAULT")
    await add_months(connection, coming_months(await connection.fetchval(NOW)))


# -- months


async def add_months(connection: Any, months: Iterable[str]) -> None:
    """Create the partitions of months that have none. Nodes can read and write meanwhile."""
    existing = {row[0] for row in await connection.fetch(PARTITIONS)}
    missing = [month for month in months if partition_name(month) not in existing]
    for month in missing:
        name, first, until = partition_name(month), first_room_id(month), first_room_id(next_month(month))
        try:
            async with connection.transaction():
                await lock_log(connection)
                await connection.execute(f"CREATE TABLE IF NOT EXISTS {name} (LIKE events INCLUDING ALL)")
                values = f"FOR VALUES FROM ('{first}') TO ('{until}')"
                await connection.execute(f"ALTER TABLE events ATTACH PARTITION {name} {values}")
        except (*CANNOT_ATTACH, asyncpg.WrongObjectTypeError):  # another node was faster
            continue


async def drop_month(connection: Any, month: str, rooms: int, timeout_s: float) -> bool:
    """Drop a month with exactly this number of rooms, which have all ended. Return whether it could be done.

    The rows of the index are deleted first. The lock on the whole log, which DETACH needs, is then held for a moment.
    """
    name, first, until = partition_name(month), first_room_id(month), first_room_id(next_month(month))
    between = f"room >= '{first}' AND room < '{until}'"
    try:
        async with connection.transaction():
            await lock_log(connection)
            if name not in {row[0] for row in await connection.fetch(PARTITIONS)}:
                return False
            await connection.execute("SET LOCAL statement_timeout = 0")
            sql = f"SELECT count(*) FROM rooms WHERE {between}"
            every = await connection.fetchval(sql, timeout=timeout_s)
            ended = await connection.fetchval(f"{sql} AND status = 'ended'", timeout=timeout_s)
            if not every == ended == rooms:
                return False
            for table in ("reviews", "rooms"):
                await connection.execute(f"DELETE FROM {table} WHERE {between}", timeout=timeout_s)
            await connection.execute(f"SET LOCAL lock_timeout = {DROP_LOCK_TIMEOUT_MS}")
            await connection.execute(f"ALTER TABLE events DETACH PARTITION {name}")
            await connection.execute(f"DROP TABLE {name}")
    except asyncpg.LockNotAvailableError:
        return False
    return True
