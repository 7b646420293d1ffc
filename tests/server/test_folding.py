"""Databases from before names were folded."""

from __future__ import annotations

import sqlite3

import asyncpg

from server.storage.factory import open_store
from server.storage.interface import Store, digest
from server.storage.postgres import migrations as in_postgres
from server.storage.sqlite import migrations as in_sqlite
from server.storage.sqlite.schema import APPLICATION

ACCOUNTS = [("José", "p1", 1), ("JOSÉ", "p2", 2), ("jose", "p3", 3)]


async def check(store: Store) -> None:
    await store.open()
    owner = await store.account_named("josÉ")
    assert owner is not None
    assert owner.player == "p1"
    assert await store.account_of_token("p2") is not None
    assert not await store.add_account("josé", "p4", "p4", 9)
    assert await store.history("", "JOSÉ", None, 9) == [(5, b"i")]
    await store.close()


async def test_an_old_file(tmp_path: object) -> None:
    path = f"{tmp_path}/parlour.db"
    with sqlite3.connect(path) as connection:
        for _, sql in in_sqlite.migrations()[:2]:
            connection.executescript(sql)
        connection.execute("PRAGMA user_version = 2")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        for name, player, at in ACCOUNTS:
            connection.execute("INSERT INTO accounts VALUES (?,?,?,?,NULL)", (digest(player), name, player, at))
        connection.execute(
            "INSERT INTO rooms VALUES ('r','conga','ended','1-0',0,'p1','p9','José','ben',NULL,5,?)", (b"i",)
        )
    connection.close()
    await check(open_store(path))


async def test_an_old_database(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute("CREATE TABLE parlour_schema (version integer NOT NULL)")
    for _, sql in in_postgres.migrations()[:3]:
        await connection.execute(sql)
    await connection.execute("INSERT INTO parlour_schema VALUES (3)")
    for name, player, at in ACCOUNTS:
        await connection.execute("INSERT INTO accounts VALUES ($1,$2,$3,$4,NULL)", digest(player), name, player, at)
    await connection.execute(
        "INSERT INTO rooms VALUES ('r','conga','ended','1-0',false,'p1','p9','José','ben',NULL,5,$1)", b"i"
    )
    await connection.close()
    await check(open_store(database))
