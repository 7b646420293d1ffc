"""`parlour db`: each command says what it did, and leaves the database of a running server alone."""

from __future__ import annotations

import asyncio
import re
import signal
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest

from parlour.cli.house_bots import read_tokens, token_file, write_tokens
from parlour.cli.main import main
from server.ids import first_room_id
from server.storage.factory import open_store
from server.storage.interface import Append, append_and_wait
from server.storage.sqlite.store import SqliteStore
from server.storage.tables import EVENTS, ROOMS
from tests.e2e.local_server import parlour_command, running_server
from tests.long import long
from tests.server.storage.played import play_games
from tests.server.storage.rows import row
from tests.waiting import TIMEOUT_S

Capture = pytest.CaptureFixture[str]


async def fill(path: str) -> None:
    store = SqliteStore(path)
    await store.open()
    for n in range(3):
        await append_and_wait(store, Append(f"a{n}", 0, (b"a",), row(f"a{n}", "ended")))
    await append_and_wait(store, Append("won", 0, (b"a",), row("won", "ended", result="1-0")))
    await store.close()


async def test_prune_reports_what_it_deletes(tmp_path: Path) -> None:
    path = str(tmp_path / "parlour.db")
    await fill(path)
    code, out, err = await parlour_command("db", "prune", "--db", path, "--dry-run")
    assert (code, err) == (0, "")
    assert "would delete 3 rooms without a result and 0 sessions" in out
    assert "4 rooms, 4 events" in out
    code, out, _ = await parlour_command("db", "prune", PARLOUR_DB=path, PARLOUR_KEEP_ABORTED="7")
    assert code == 0
    assert out.startswith("deleted 3 rooms without a result, 0 sessions, 0 chat lines\n")
    assert "1 room, 1 event," in out


async def test_prune_refuses_the_file_of_a_running_server(tmp_path: Path) -> None:
    await fill(str(tmp_path / "parlour.db"))
    async with running_server(tmp_path, keep_aborted=0):
        code, _, err = await parlour_command("db", "prune", "--db", str(tmp_path / "parlour.db"))
    assert code == 2
    assert "in use by another server" in err


async def test_prune_needs_a_database_and_a_number(tmp_path: Path) -> None:
    code, _, err = await parlour_command("db", "prune", "--db", str(tmp_path / "none.db"))
    assert (code, "there is no database" in err) == (2, True)
    code, _, err = await parlour_command("db", "prune", "--keep-chat", "long")
    assert (code, "--keep-chat must be a number" in err) == (2, True)


@pytest.mark.parametrize("words", [("account", "add", "ann"), *long(("account", "list"), ("db", "prune", "--dry-run"))])
async def test_commands_wait_for_a_process_that_writes(tmp_path: Path, words: tuple[str, ...]) -> None:
    """The last connection that closes, as that of a killed server's writer does, locks the file against readers too."""
    path = str(tmp_path / "parlour.db")
    await fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA locking_mode = EXCLUSIVE")
        writer.execute("BEGIN IMMEDIATE")
        running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", *words, "--db", path,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert running.stderr is not None
        async with asyncio.timeout(TIMEOUT_S):
            notice = await running.stderr.readline()
    assert notice.startswith(b"parlour: waiting for a process that writes to the database")
    async with asyncio.timeout(TIMEOUT_S):
        _, err = await running.communicate()
    assert (running.returncode, err) == (0, b"")


# -- copy, backup, check

EVENTS_PER_ROOM = 20


async def fill_with(db: str, rooms: int) -> None:
    """Store many rooms. What their events are does not matter to a copy."""
    store = open_store(db)
    await store.open()
    ids = [f"room{n:05}" for n in range(rooms)]
    rows = [(id, "conga", "ended", "1-0", False, "p1", "p2", "ann", "ben", None, 5, b"i") for id in ids]
    await store.replace_rows(ROOMS, (), (), rows)
    events = [(id, seq, b"event" * 20) for id in ids for seq in range(1, EVENTS_PER_ROOM + 1)]
    await store.replace_rows(EVENTS, (), (), events)
    await store.close()


async def has_rooms(db: str) -> bool:
    """Return whether a database exists and has rooms."""
    try:
        if "://" not in db:
            with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
                return bool(connection.execute("SELECT count(*) FROM rooms").fetchone()[0])
        connection = await asyncpg.connect(db)
        try:
            return bool(await connection.fetchval("SELECT count(*) FROM rooms"))
        finally:
            await connection.close()
    except (sqlite3.Error, asyncpg.PostgresError):  # the table does not exist yet
        return False


@pytest.mark.parametrize("forward", [True, *long(False)])
async def test_copy_that_was_killed_is_finished_by_the_next(forward: bool, tmp_path: Path, database: str) -> None:
    file = str(tmp_path / "parlour.db")
    source, target = (file, database) if forward else (database, file)
    await fill_with(source, 1000)
    words = ("db", "copy", source, target)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", *words, stdout=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(TIMEOUT_S):
        while not await has_rooms(target):  # noqa: ASYNC110  # another process writes
            await asyncio.sleep(0.01)
        process.kill()
        assert await process.wait() == -signal.SIGKILL
    code, _, err = await parlour_command("account", "list", "--db", target)
    assert code == 2
    assert "the database is an unfinished copy of" in err
    code, out, err = await parlour_command(*words)
    assert (code, err) == (0, "")
    digests = [re.findall(rf"^{name} +(\d+) rows  sha256 (\w+)$", out, re.M)[0] for name in ("rooms", "events")]
    assert [count for count, _ in digests] == ["1000", str(1000 * EVENTS_PER_ROOM)]
    assert f"copied and verified: start the server with --db {target}\n" in out
    code, back, err = await parlour_command("db", "copy", target, str(tmp_path / "back.db"))
    assert code == 0
    assert all(digest in back for _, digest in digests)


async def test_copy_takes_the_tokens_of_house_bots_along(tmp_path: Path, database: str) -> None:
    """Without its token a house bot could not use its name, and would be a guest."""
    source = str(tmp_path / "parlour.db")
    await fill(source)
    write_tokens(token_file(source), '{"search": "secret"}')
    code, out, err = await parlour_command("db", "copy", source, database)
    assert (code, err) == (0, "")
    assert f"the tokens of the house bots are in {token_file(database)}: run the server as the same user\n" in out
    assert read_tokens(token_file(database)) == {"search": "secret"}
    assert stat.S_IMODE(token_file(database).stat().st_mode) == 0o600


async def test_copy_refuses_databases_in_use(tmp_path: Path, database: str) -> None:
    async with running_server(tmp_path, house="none"):
        code, _, err = await parlour_command("db", "copy", str(tmp_path / "parlour.db"), str(tmp_path / "new.db"))
    assert (code, "in use by another server" in err) == (2, True)
    assert not (tmp_path / "new.db").exists()
    async with running_server(tmp_path, db=database, house="none"):
        code, _, err = await parlour_command("db", "copy", database, str(tmp_path / "new.db"))
        assert (code, "a node is running on the source" in err) == (2, True)
        code, _, err = await parlour_command("db", "copy", str(tmp_path / "parlour.db"), database)
        assert (code, "a node is running on the target" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("copy", "a.db"), "db copy needs SOURCE and TARGET"),
        (("copy", "a.db", "./a.db"), "the source and the target are the same database"),
        (("copy", "a.db", "b.db", "--db", "c.db"), "db copy takes no --db"),
        (("copy", "missing.db", "b.db"), "there is no database missing.db"),
        (("backup",), "db backup needs FILE"),
        (("check", "a.db"), "db check needs no name"),
        (("check", "--dry-run"), "--dry-run and --keep-… are for db prune"),
    ],
)
def test_mistakes_are_one_sentence(
    words: tuple[str, ...], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    check_mistake(words, problem, capsys)


def check_mistake(words: tuple[str, ...], problem: str, capsys: Capture) -> None:
    assert main(["db", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert problem in err
    assert err.count("\n") == 1


async def test_running_server_can_be_backed_up(tmp_path: Path) -> None:
    """The backup is private, complete, and a database that a server can use."""
    path, copy = tmp_path / "parlour.db", tmp_path / "backup.db"
    await fill(str(path))
    async with running_server(tmp_path, keep_aborted=0, house="none"):
        code, out, err = await parlour_command("db", "backup", str(copy), "--db", str(path))
    assert (code, err) == (0, "")
    assert re.fullmatch(r"wrote .*backup.db: \d+ bytes, verified; only you can read it\n", out)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert not (tmp_path / "backup.db.unfinished").exists()
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (4,)
    code, _, err = await parlour_command("db", "backup", str(copy), "--db", str(path))
    assert (code, "backup.db exists" in err) == (2, True)
    async with running_server(tmp_path, db=str(copy), house="none"):
        pass


async def test_backup_of_postgres_names_the_program(database: str, tmp_path: Path) -> None:
    await fill_with(database, 1)
    code, _, err = await parlour_command("db", "backup", str(tmp_path / "b"), "--db", database)
    assert (code, "run pg_dump -Fc" in err) == (2, True)


async def test_check_prints_faults(tmp_path: Path) -> None:
    path = str(tmp_path / "parlour.db")
    await play_games(path)
    code, out, err = await parlour_command("db", "check", "--db", path)
    assert (code, err) == (0, "")
    assert re.fullmatch(r"no faults in 7 rooms\n", out)
    await fill(path)
    code, out, _ = await parlour_command("db", "check", PARLOUR_DB=path)
    assert code == 1
    assert "the log of room won cannot be replayed" in out
    assert out.splitlines()[-1].startswith("4 faults in 11 rooms")


# -- archive, restore


async def played_in_the_past(db: str) -> str:
    """Play games, and give them ids of March 2025. Return the room of a game with a result."""
    await play_games(db)
    store = open_store(db)
    await store.open()
    await store.prepare_log(["2025-03"])
    rooms, events = await store.read_rows(ROOMS), await store.read_rows(EVENTS)
    first = first_room_id("2025-03")
    await store.replace_rows(EVENTS, (), (), [(first + room[6:], seq, data) for room, seq, data in events])
    await store.replace_rows(ROOMS, (), (), [(first + row[0][6:], *row[1:-2], 5, row[-1]) for row in rooms])
    await store.close()
    return next(f"{first}{row[0][6:]}" for row in rooms if row[3] != "*")


@pytest.fixture(params=["postgres", *long("sqlite")])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a new file, or an empty database."""
    return str(tmp_path / "parlour.db") if request.param == "sqlite" else str(request.getfixturevalue("database"))


async def test_archived_game_can_be_shown_and_restored(db: str, tmp_path: Path) -> None:
    room = await played_in_the_past(db)
    (tmp_path / "archives").mkdir()
    words = ("db", "archive", str(tmp_path / "archives"), "--before", "2025-05", "--db", db)
    code, out, err = await parlour_command(*words)
    assert (code, err) == (0, "")
    file = str(tmp_path / "archives" / "parlour-2025-03.db")
    kept = "2 kept: not ended, or ended less than a day ago"
    assert re.match(rf"2025-03: 5 rooms, \d+ events in {re.escape(file)}; {kept}\n", out)
    code, _, err = await parlour_command("show", room, "--plain", "--db", db)
    assert (code, "there is no room" in err) == (2, True)
    code, out, err = await parlour_command("verify", room, "--db", file)
    assert (code, err) == (0, "")
    assert out.startswith(f"{room}: ok, cohcoh")
    code, out, _ = await parlour_command("db", "restore", file, "--db", db)
    assert (code, out) == (0, f"5 rooms restored from {file}; 0 were there already\n")
    code, _, err = await parlour_command("verify", room, "--db", db)
    assert code == 0


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE events SET payload = 'text' WHERE room = 'won'", "table events, the column payload of ('won', 1)"),
        ("UPDATE rooms SET room = x'00' WHERE room = 'won'", r"table rooms, the column room of (b'\x00',)"),
        ("UPDATE rooms SET deadline = 0.5", "table rooms, the column deadline of ('a0',)"),
    ],
)
async def test_values_of_wrong_types_are_one_sentence(tmp_path: Path, change: str, column: str) -> None:
    """SQLite accepts any type in a column, and a file from others may have any."""
    path, other, new = [str(tmp_path / f"{name}.db") for name in ("parlour", "other", "new")]
    await fill(path)
    await fill(other)
    await remove_all(other)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    problem = f"parlour: the database is damaged or not written by Parlour: in its {column} has a wrong type\n"
    for words in (("copy", path, new), ("restore", path, "--db", other)):
        assert await parlour_command("db", *words) == (2, "", problem)
    code, _, err = await parlour_command("db", "check", "--db", path)
    assert (code, err) in ((1, ""), (2, problem))  # a room whose id is no text cannot be looked up


async def remove_all(path: str) -> None:
    """Delete all rooms."""
    store = open_store(path)
    await store.open()
    await store.remove_rooms([name for name, *_ in await store.read_rows(ROOMS)])
    await store.close()


async def test_archive_says_that_there_is_nothing_to_do(tmp_path: Path) -> None:
    path = str(tmp_path / "parlour.db")
    await fill(path)
    done = await parlour_command("db", "archive", str(tmp_path), "--before", "2025-05", "--db", path)
    assert done == (0, "nothing to archive: no room was created before 2025-05\n", "")


def test_mistakes_of_archive_are_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    folder, db = str(tmp_path), str(tmp_path / "parlour.db")
    asyncio.run(fill(db))
    for words, problem in (
        ((folder,), "db archive needs --before"),
        ((folder, "--before", "May"), "'May' is not a month: write --before 2026-01"),
        ((folder, "--before", "2099-01"), "--before 2099-01 is in the future"),
        ((f"{folder}/none", "--before", "2025-05"), "there is no folder"),
    ):
        check_mistake(("archive", *words, "--db", db), problem, capsys)
    check_mistake(("check", "--before", "2025-05", "--db", db), "db check takes no --before", capsys)


@pytest.mark.parametrize("payload", [b"\xc1", b"\x91" * 300, b"\x82\xa4type\xa5moved"], ids=["byte", "deep", "fields"])
async def test_game_with_a_damaged_log_is_one_sentence(payload: bytes, tmp_path: Path) -> None:
    """An archive may come from a stranger."""
    path = str(tmp_path / "archive.db")
    await play_games(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        [(room,)] = connection.execute("SELECT room FROM rooms WHERE result <> '*' LIMIT 1")
        connection.execute("UPDATE events SET payload = ? WHERE room = ? AND seq = 3", (payload, room))
    for command in (("show", room, "--plain"), ("verify", room), ("review", room)):
        code, out, err = await parlour_command(*command, "--db", path)
        assert (code, out) == (2, "")
        assert err.startswith(f"parlour: the log of room '{room}' in {path} is damaged: ")
        assert err.count("\n") == 1
