"""Migrate a PostgreSQL database to the current schema. Nodes that start at the same time take turns."""

from __future__ import annotations

from typing import Any

from protocol.usernames import fold
from server.storage.interface import DB_HINT, OLDER_SCHEMA, StoreError
from server.storage.migrations import load_migrations
from server.storage.postgres.partitions import attach_log, bound_log
from server.storage.room_index import hide_code

FOLDING_MIGRATION = 4  # names are folded after this one
PARTITIONS_MIGRATION = 13  # the log before it becomes a partition after this one
CODES_MIGRATION = 7  # codes of private rooms are hashed after this one
# unlike to_regclass, this sees a table that another node has created while this one waited for the lock
IS_EMPTY = """
    SELECT NOT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'parlour_schema')
"""
MIGRATION_LOCK_KEY = 0x5041524C_0001  # of the advisory lock: "PARL" and a number


async def migrate(connection: Any, create: bool) -> bool:
    """Bring the database to the current schema. Return whether it was empty.

    Raises StoreError if it is empty and `create` is false, if its schema is newer than this program, or if it belongs
    to another program.
    """
    if 0 < await known_version(connection) < PARTITIONS_MIGRATION:
        await bound_log(connection)
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATION_LOCK_KEY)
        version = await schema_version(connection)
        migrations = load_migrations(__package__)
        newest = migrations[-1][0]
        if version == 0 and not create:
            raise StoreError(f"the database is empty: {DB_HINT}")
        if version > newest:
            raise StoreError(
                f"the database was written by a newer Parlour (schema {version}, supported up to {newest}): "
                "start that version or use another database"
            )
        for number, script in migrations:
            if number > version:
                await connection.execute(script)
            if number == FOLDING_MIGRATION > version:
                await fold_names(connection)
            if number == CODES_MIGRATION > version:
                await hide_codes(connection)
            if number == PARTITIONS_MIGRATION > version:
                await attach_log(connection)
        await connection.execute("DELETE FROM parlour_schema")
        await connection.execute("INSERT INTO parlour_schema (version) VALUES ($1)", newest)
        return version == 0


async def require_current_schema(connection: Any) -> None:
    """Raise StoreError if a program that only reads cannot use the database."""
    newest = load_migrations(__package__)[-1][0]
    async with connection.transaction(readonly=True):
        if await connection.fetchval(IS_EMPTY):
            raise StoreError(f"the database is empty: {DB_HINT}")
        version = await schema_version(connection)
    if version != newest:
        raise StoreError(OLDER_SCHEMA.format("the database", version, newest))


async def fold_names(connection: Any) -> None:
    """Fold the stored names. SQL cannot fold as `protocol.usernames` does."""
    for table, column, folded in (
        ("accounts", "name", "folded"),
        ("rooms", "name0", "name0"),
        ("rooms", "name1", "name1"),
    ):
        names = [row[0] for row in await connection.fetch(f"SELECT DISTINCT {column} FROM {table}")]
        changed = [(name, fold(name)) for name in names if column != folded or fold(name) != name]
        await connection.executemany(f"UPDATE {table} SET {folded} = $2 WHERE {column} = $1", changed)


async def hide_codes(connection: Any) -> None:
    """Replace the codes of private rooms by their hashes."""
    sql = "SELECT room, payload FROM events WHERE seq = 1 AND room IN (SELECT room FROM rooms WHERE private)"
    hidden = [(row[0], hide_code(row[1])) for row in await connection.fetch(sql)]
    await connection.executemany("UPDATE events SET payload = $2 WHERE room = $1 AND seq = 1", hidden)


async def known_version(connection: Any) -> int:
    """Return the version of the schema, or 0 if there is none."""
    if await connection.fetchval(IS_EMPTY):
        return 0
    return int(await connection.fetchval("SELECT max(version) FROM parlour_schema") or 0)


async def schema_version(connection: Any) -> int:
    """Return the version of the schema. For an empty database, create the version table and return 0.

    Raises StoreError if the database belongs to another program.
    """
    if await connection.fetchval(IS_EMPTY):
        tables = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
        if tables:
            raise StoreError("the database belongs to another program: it has tables but no Parlour schema")
        await connection.execute("CREATE TABLE parlour_schema (version integer NOT NULL)")
    return await known_version(connection)
