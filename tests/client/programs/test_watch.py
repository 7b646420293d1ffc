"""The watch over programs in a jail survives processes that end and files that vanish while it looks at them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.programs.watch import count_files, descendants, folder_size
from tests.waiting import until_blocking

FORKS = "while :; do (:) & (:) & (:) & wait; done"
BLOCKS = bytes(1 << 16)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_may_end_while_they_are_listed() -> None:
    with subprocess.Popen(["/bin/sh", "-c", FORKS]) as shell:
        try:
            for _ in range(3000):
                assert descendants(shell.pid)[0] == shell.pid
        finally:
            shell.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_files_outside_a_jail_do_not_count() -> None:
    """A jail is made by a process that still sees all files of the machine."""
    with subprocess.Popen(["/bin/sh", "-c", "sleep 600 & wait"], start_new_session=True) as jail:
        try:
            until_blocking("there is a process in it", lambda: len(descendants(jail.pid)) == 2)
            assert count_files(jail.pid, ("/",)) == 0
        finally:
            os.killpg(jail.pid, signal.SIGKILL)


def test_file_that_vanishes_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(BLOCKS)
    scan = os.scandir

    @contextmanager
    def scan_and_delete(path: str) -> Iterator[list[os.DirEntry[str]]]:
        with scan(path) as entries:
            found = list(entries)
        Path(found[0].path).unlink()
        yield found

    monkeypatch.setattr(os, "scandir", scan_and_delete)
    assert folder_size(tmp_path) >= 2 * len(BLOCKS)
