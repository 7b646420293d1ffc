"""The surroundings of the tests do not depend on the parent process, and their random order only on a seed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.isolation import DROPPED, isolate_environment
from tests.order import SLOW_FOLDERS, shuffle, slow_first
from tests.scripts import ROOT
from tests.waiting import TIMEOUT_S


def test_settings_of_the_user_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PARLOUR_URL", "XDG_CONFIG_HOME", "LC_ALL", "PGHOST", "https_proxy", "ALL_PROXY", *DROPPED):
        monkeypatch.setenv(name, "of the user")
    for name in ("HOME", "XDG_CACHE_HOME", "LANG", "TERM", "PATH", "TZ"):
        monkeypatch.setenv(name, "of the user")
    isolate_environment(tmp_path / "home", tmp_path / "cache")
    assert {name for name, value in os.environ.items() if value == "of the user"} == {"PATH", "TZ"}
    assert os.environ["HOME"] == str(tmp_path / "home")


def test_ignored_and_blocked_signals_are_reset() -> None:
    script = "import signal\nfrom tests.isolation import reset_signals\nreset_signals()\n"
    script += "assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())\nsignal.raise_signal(signal.SIGINT)"
    ignoring = ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    done = subprocess.run([*ignoring, sys.executable, "-c", script], cwd=ROOT, capture_output=True, timeout=TIMEOUT_S)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.endswith(b"KeyboardInterrupt\n")


def test_order_depends_only_on_the_seed() -> None:
    def order(seed: int) -> list[tuple[Path, int]]:
        tests = [(Path(f"test_{letter}.py"), number) for letter in "abcde" for number in range(10)]
        shuffle(tests, lambda test: test[0], seed)
        return tests

    assert order(7) == order(7)
    assert order(7) != order(8)
    assert sorted(order(7)) == sorted(order(8))
    files = [file for file, _ in order(7)]
    assert len(list(groupby(files))) == 5, "the tests of a file stay together"


def test_slow_folders_come_first_and_files_stay_together() -> None:
    here = Path(__file__).parent
    tests = [
        here / name for name in ("engine/test_a.py", "e2e/test_b.py", "test_c.py", "e2e/test_b.py", "web/test_d.py")
    ]
    slow_first(tests, lambda test: test)
    assert [test.name for test in tests] == ["test_d.py", "test_b.py", "test_b.py", "test_a.py", "test_c.py"]
    assert all((here / folder).is_dir() for folder in SLOW_FOLDERS)
