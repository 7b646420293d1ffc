"""The watch over programs in a jail survives processes that end and files that vanish while it looks at them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client.programs.watch import descendants, folder_size

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
