"""The files of a database: their rights, and waiting for the writer process of a killed server."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from server.storage.interface import Append, StoreError, append_and_wait
from server.storage.sqlite import files
from server.storage.sqlite.files import restrict_rights, wait_for_writers
from server.storage.sqlite.store import SqliteStore
from tests.e2e.local_server import until

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "ab")
fcntl.flock(file, fcntl.LOCK_SH)
print(flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file rights and no flock")


def rights(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


def open_rights(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o664)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "parlour.db")


@pytest.fixture
def no_umask() -> object:
    before = os.umask(0)
    yield
    assert os.umask(before) == 0, "the store does not change it"


@pytest.mark.usefixtures("no_umask")
async def test_new_files_are_private(path: str, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open(serving=True)
    await append_and_wait(store, Append("r", 0, (b"a",)))
    names = {f"parlour.db{suffix}" for suffix in ("", "-wal", "-shm", "-serving", "-writing")}
    assert rights(tmp_path) == dict.fromkeys(names, 0o600)
    await store.close()


@pytest.mark.usefixtures("no_umask")
async def test_existing_files_are_made_private(path: str, tmp_path: Path) -> None:
    store = SqliteStore(path)
    await store.open(serving=True)
    open_rights(tmp_path)
    (tmp_path / "parlour.db.bak").touch(0o644)
    restrict_rights(path)  # the files are in use, as after a crash
    assert {name: mode for name, mode in rights(tmp_path).items() if mode != 0o600} == {"parlour.db.bak": 0o644}
    await store.close()


def test_rights_follow_a_link(path: str, tmp_path: Path) -> None:
    (tmp_path / "real.db").touch(0o644)
    Path(path).symlink_to(tmp_path / "real.db")
    restrict_rights(path)
    assert rights(tmp_path)["real.db"] == 0o600


def test_rights_that_cannot_be_changed_are_logged(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Path(path).touch()
    Path(path).chmod(0o644)

    def refuse(file: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    restrict_rights(path)
    assert [record.getMessage() for record in caplog.records] == ["rights_open"]


async def test_server_waits_for_the_writer_of_a_killed_server(path: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parlour")
    orphan = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, f"{path}-writing", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert orphan.stdout is not None
    assert orphan.stdin is not None
    await orphan.stdout.readline()
    waiting = asyncio.create_task(wait_for_writers(path))
    await until("it says what it waits for", lambda: caplog.records)
    assert not waiting.done()
    orphan.stdin.close()
    await waiting
    await orphan.wait()
    assert [record.getMessage() for record in caplog.records] == ["waiting_for_writer", "writer_finished"]


async def test_wait_ends_with_a_sentence(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WRITER_WAIT_S", 0.0)
    store = SqliteStore(path)
    await store.open()  # not serving: as `parlour account` does
    with pytest.raises(StoreError, match=r"still being written .* end that process, and start again"):
        await SqliteStore(path).open(serving=True)
    await store.close()
    again = SqliteStore(path)
    await again.open(serving=True)
    await again.close()
