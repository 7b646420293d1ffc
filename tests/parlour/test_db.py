"""`parlour db prune`: it says what it deletes and what stays, and leaves the file of a running server alone."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from server.storage.interface import Append, append_and_wait
from server.storage.sqlite.store import SqliteStore
from tests.e2e.local_server import parlour_command, running_server
from tests.server.storage.rows import row
from tests.waiting import TIMEOUT_S


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
    assert out.startswith("deleted 3 rooms without a result, 0 sessions, 0 chat messages\n")
    assert "1 rooms, 1 events" in out


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


@pytest.mark.parametrize("words", [("account", "add", "ann"), ("account", "list"), ("db", "prune", "--dry-run")])
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
