"""Bringing a PostgreSQL database to what this program knows. Nodes that start at once take turns."""

from __future__ import annotations

from typing import Any

from protocol.usernames import fold
from server.storage.interface import DB_HINT, StoreError
from server.storage.postgres.migrations import migrations

FOLDED = 4  # the step after which names are folded
MIGRATING = 0x5041524C_0001  # the key of the advisory lock: "PARL", and a number


async def migrate(connection: Any, create: bool) -> bool:
    """Whether it was empty; StoreError if it may not be, if it knows more than we do, or belongs to another program."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", MIGRATING)
        version = await schema_version(connection)
        steps = migrations()
        newest = steps[-1][0]
        if version == 0 and not create:
            raise StoreError(f"the database is empty: {DB_HINT}")
        if version > newest:
            raise StoreError(
                f"the database was written by a newer Parlour (its schema is {version}, this program knows {newest}); "
                "start that version, or use another database"
            )
        for number, sql in steps:
            if number > version:
                await connection.execute(sql)
            if number == FOLDED > version:
                await fold_names(connection)
        await connection.execute("DELETE FROM parlour_schema")
        await connection.execute("INSERT INTO parlour_schema (version) VALUES ($1)", newest)
        return version == 0


async def fold_names(connection: Any) -> None:
    """What the database cannot do by itself as we do it."""
    for table, column, folded in (
        ("accounts", "name", "folded"),
        ("rooms", "name0", "name0"),
        ("rooms", "name1", "name1"),
    ):
        names = [row[0] for row in await connection.fetch(f"SELECT DISTINCT {column} FROM {table}")]
        changed = [(name, fold(name)) for name in names if column != folded or fold(name) != name]
        await connection.executemany(f"UPDATE {table} SET {folded} = $2 WHERE {column} = $1", changed)


async def schema_version(connection: Any) -> int:
    """0 for an empty database, which gets its table of versions here."""
    if await connection.fetchval("SELECT to_regclass('parlour_schema') IS NULL"):
        strangers = await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
        if strangers:
            raise StoreError("the database belongs to another program: it has tables, and none of them is ours")
        await connection.execute("CREATE TABLE parlour_schema (version integer NOT NULL)")
    return int(await connection.fetchval("SELECT max(version) FROM parlour_schema") or 0)
