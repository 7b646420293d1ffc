from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.file_lock import open_locked, try_lock

HOLD = "import os, sys; from runtime.file_lock import open_locked; print(open_locked(sys.argv[1])); input()"


def hold(path: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock until it ends."""
    command = [sys.executable, "-c", HOLD, str(path)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline().strip() != "None"
    return child


def test_second_lock_fails_until_the_first_is_closed(tmp_path: Path) -> None:
    first = open_locked(tmp_path / "lock")
    assert first is not None
    assert open_locked(tmp_path / "lock") is None
    os.close(first)
    second = open_locked(tmp_path / "lock")
    assert second is not None
    os.close(second)


def test_file_is_private_and_its_content_stays(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = open_locked(path)
    assert lock is not None
    assert path.stat().st_mode & 0o777 == 0o600
    os.write(lock, b"text")
    os.close(lock)
    lock = open_locked(path)
    assert lock is not None
    assert path.read_bytes() == b"text"
    os.close(lock)


def test_killed_process_releases_its_lock(tmp_path: Path) -> None:
    with hold(tmp_path / "lock") as child:
        assert open_locked(tmp_path / "lock") is None
        child.send_signal(signal.SIGKILL)
        child.wait()
    lock = open_locked(tmp_path / "lock")
    assert lock is not None
    os.close(lock)


def test_child_with_an_inherited_descriptor_holds_the_lock(tmp_path: Path) -> None:
    lock = open_locked(tmp_path / "lock")
    assert lock is not None
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,))
    os.close(lock)
    assert open_locked(tmp_path / "lock") is None, "the child holds it"
    child.kill()
    child.communicate()
    lock = open_locked(tmp_path / "lock")
    assert lock is not None
    os.close(lock)


def test_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_locked(tmp_path / "no folder" / "lock")


def test_file_system_without_locks_counts_as_locked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unsupported(descriptor: int, operation: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with (tmp_path / "file").open("wb") as file:
        assert try_lock(file.fileno())
