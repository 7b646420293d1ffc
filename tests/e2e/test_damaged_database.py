"""Damaged, missing and unreachable databases are reported in one sentence."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from parlour.cli.main import main
from server.app import running
from server.config import Settings
from server.storage.factory import open_store
from server.storage.interface import StoreError, Unavailable
from server.storage.sqlite.store import SqliteStore
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.play import move, room_of
from tests.e2e.test_accounts import account

PAGE_BYTES = 4096


async def rooms_in(db: Path, connect_guest: ConnectGuest) -> list[str]:
    """Create two running games, in a file without a WAL."""
    async with running(Settings(port=0, db=str(db))) as server:
        ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
        rooms = [await room_of(ann, ben) for _ in range(2)]
        for room in rooms:
            await move(ann, room, 0, "a1")
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return rooms


def wipe(db: Path, table: str) -> None:
    with closing(sqlite3.connect(db)) as connection:
        [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    damaged = bytearray(db.read_bytes())
    damaged[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    db.write_bytes(damaged)


async def test_damaged_database_is_reported_in_one_sentence(connect_guest: ConnectGuest, tmp_path: Path) -> None:
    db = tmp_path / "parlour.db"
    await rooms_in(db, connect_guest)
    for name in ("ann", "ben"):
        assert (await account(db, "add", name))[0] == 0
    whole = db.read_bytes()
    for first in (100, 2 * PAGE_BYTES):  # the schema, and the tables
        damaged = bytearray(whole)
        for at in range(first, len(damaged), 37):
            damaged[at] ^= 0x55
        db.write_bytes(damaged)
        for words in (("list",), ("add", "zoe"), ("revoke", "ann")):
            code, out, err = await account(db, *words)
            assert (code, out, len(err.splitlines())) == (2, "", 1)
            assert err.startswith(f"parlour: the database {db} is damaged: restore a backup or use another file")
        with pytest.raises(StoreError, match="is damaged"):
            async with running(Settings(port=0, db=str(db))):
                pass


async def test_damaged_log_of_a_room_does_not_affect_other_rooms(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    broken, whole = await rooms_in(tmp_path / "parlour.db", connect_guest)
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as connection:
        connection.execute("UPDATE events SET payload = x'c1' WHERE room = ? AND seq = 3", (broken,))
        connection.execute("UPDATE rooms SET deadline = 1 WHERE room = ?", (broken,))
        before = connection.execute("SELECT * FROM events WHERE room = ?", (broken,)).fetchall()
        server = await start()
        eve: Guest = await connect_guest(server.url, "eve")
        await server.app.registry.sweep()
        assert (await eve.refused("watch", room=broken))["code"] == "no_room"
        assert [info["room"] for info in (await eve.ask("list"))["rooms"]] == [whole]
        await eve.ask("watch", room=whole)
        assert (await eve.find(type="snapshot", room=whole))["ply"] == 1
        assert connection.execute("SELECT * FROM events WHERE room = ?", (broken,)).fetchall() == before


async def test_damaged_row_of_the_index_does_not_hide_other_rooms(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    over = [await room_of(ann, ben) for _ in range(2)]
    for room in over:
        await ann.ask("resign", room=room)
    open_ones = [(await ann.ask("pair", game=game))["room"] for game in ("conga", "cohcoh", "mancala")]
    with closing(sqlite3.connect(tmp_path / "parlour.db", isolation_level=None)) as connection:
        for room in (over[0], open_ones[0]):
            connection.execute("UPDATE rooms SET info = x'c1' WHERE room = ?", (room,))
    await eve.ask("lobby", on=True)
    shown = (await eve.find(type="lobby", full=True))["rooms"]
    assert {info["room"] for info in shown} == set(open_ones[1:])
    assert [info["room"] for info in (await eve.ask("history"))["rooms"]] == [over[1]]
    assert (await eve.ask("pair", game="cohcoh"))["room"] == open_ones[1]
    assert (await ben.ask("pair", game="conga"))["room"] not in open_ones  # the first waiting room cannot be read


async def test_refused_start_writes_nothing(connect_guest: ConnectGuest, tmp_path: Path) -> None:
    db = tmp_path / "parlour.db"
    await rooms_in(db, connect_guest)
    async with running(Settings(port=0, db=str(db))) as server:
        broken = (await (await connect_guest(server.url, "eve")).ask("create", game="conga"))["room"]
    with closing(sqlite3.connect(db, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET payload = x'c1' WHERE room = ? AND seq = 2", (broken,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    wipe(db, "accounts")
    with closing(sqlite3.connect(db)) as connection:
        before = connection.execute("SELECT * FROM events").fetchall()
        for _ in range(2):
            with pytest.raises(StoreError, match="is damaged"):
                async with running(Settings(port=0, db=str(db))):
                    pass
            assert connection.execute("SELECT * FROM events").fetchall() == before


def test_unusable_path_is_reported_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long, beside = tmp_path / ("x" * 300), tmp_path / "parlour.db"
    Path(f"{beside}-serving").mkdir()
    serve = ("serve", "--port", "0")
    for words, db in ((serve, long / "x.db"), (("account", "list"), long), (serve, beside)):
        assert main([*words, "--db", str(db)]) == 2
        out, err = capsys.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)
        assert err.startswith(f"parlour: cannot use the database {db}: ")


async def test_only_account_add_creates_a_database(tmp_path: Path) -> None:
    db = tmp_path / "parlour.db"
    for words in (("list",), ("revoke", "ann")):
        code, out, err = await account(db, *words)
        assert (code, out) == (2, "")
        assert err == f"parlour: there is no database {db}: give --db the value that the server was started with"
    assert not db.exists()
    code, token, err = await account(db, "add", "ann")
    assert (code, len(token)) == (0, 48)
    assert err == f"parlour: created a new database; the token is for a server with --db {db}"
    assert (await account(db, "add", "ben"))[2] == ""
    code, _, err = await account(tmp_path / "no" / "x.db", "add", "ann")
    assert (code, "there is no folder" in err) == (2, True)


async def test_account_command_checks_only_the_accounts_table(connect_guest: ConnectGuest, tmp_path: Path) -> None:
    db = tmp_path / "parlour.db"
    await rooms_in(db, connect_guest)
    for table, why in (("events", "there is no account tpyo"), ("accounts", f"the database {db} is damaged")):
        wipe(db, table)
        code, _, err = await account(db, "revoke", "tpyo")
        assert (code, err.startswith(f"parlour: {why}")) == (2, True), err


async def test_empty_postgres_database_is_refused_unless_it_may_be_created(database: str) -> None:
    store = open_store(database)
    with pytest.raises(StoreError, match="the database is empty: give --db the value"):
        await store.open(create=False)
    assert await store.open()
    await store.close()
    again = open_store(database)
    assert not await again.open(create=False)
    await again.close()


def test_unreachable_database_is_reported_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["serve", "--port", "0"], ["account", "list"], ["account", "add", "ann"]):
        assert main([*words, "--db", "postgresql://user@127.0.0.1:1/nothing"]) == 2
        out, err = capsys.readouterr()
        assert (out, len(err.splitlines())) == ("", 1)
        assert err.startswith("parlour: cannot use the database")


async def test_store_failure_during_startup_is_a_store_error(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unfinished_rooms(store: SqliteStore, status: str = "") -> list[str]:
        raise Unavailable("the database is unavailable")

    monkeypatch.setattr(SqliteStore, "unfinished_rooms", unfinished_rooms)
    with pytest.raises(StoreError, match="the database is unavailable"):
        await start()
