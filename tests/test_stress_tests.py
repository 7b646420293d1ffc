"""scripts/stress-tests: its arguments, its table, its exit code, and that it leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.client.sample_programs import gone
from tests.scripts import ROOT, load_script
from tests.waiting import TIMEOUT_S, until_blocking

SCRIPT = str(ROOT / "scripts" / "stress-tests")
ALONE = ("-n", "0", "-p", "no:cacheprovider")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("stress-tests")


@pytest.fixture
def environment() -> dict[str, str]:
    """Return an environment in which a new pytest does not take itself for a worker of this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


def run(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


def test_wrong_arguments_are_refused(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in (
        (["storm"], "there is no scenario 'storm': choose from plain, load, signals, home, folders, locale, random"),
        (["--runs", "0"], "--runs must be 1 or more"),
    ):
        with pytest.raises(SystemExit) as caught:
            script.parse(words)
        assert caught.value.code == 2
        assert sentence in capsys.readouterr().err


def test_words_after_two_dashes_go_to_pytest(script: ModuleType) -> None:
    args, words = script.parse(["load", "--runs", "2", "--", "tests/e2e", "--", "-x"])
    assert (args.scenario, args.runs, words) == (["load"], 2, ["tests/e2e", "--", "-x"])


def test_texts_of_a_scenario_are_filled_in(script: ModuleType, tmp_path: Path) -> None:
    scenario = script.prepare(script.SCENARIOS["random"], tmp_path, 7)
    assert scenario.what == "random order, seed 7"
    assert scenario.after[-2:] == ("--shuffle", "7")
    assert scenario.environment == {"TMPDIR": str(tmp_path / "tmp")}


def test_failed_scenario_is_in_the_table_and_in_the_exit_code(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "test_home.py").write_text(
        "import os, pathlib\n"
        "def test_home():\n"
        "    (pathlib.Path(os.environ['HOME']) / 'file').write_text('')\n"
    )  # fmt: skip
    done = run({**environment, "HOME": str(tmp_path)}, "plain", "home", "--", *ALONE, str(tmp_path))
    assert done.returncode == 1, done.stdout
    heading, plain, home = done.stdout.splitlines()[-3:]
    assert heading.split() == ["scenario", "condition", "result", "seconds", "summary"]
    assert plain.split()[:4] == ["plain", "nothing", "special", "passed"]
    assert home.split()[:5] == ["home", "HOME", "is", "read-only", "FAILED"]
    assert "1 failed" in home


def test_ctrl_c_ends_all_processes(environment: dict[str, str], tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    (tmp_path / "test_hang.py").write_text(
        "import os, pathlib, subprocess, sys, time\n"
        "def test_hang():\n"
        "    child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(600)'])\n"
        f"    path = pathlib.Path({str(pids)!r})\n"
        "    path.with_suffix('.new').write_text(f'{os.getpid()} {child.pid}')\n"
        "    path.with_suffix('.new').rename(path)\n"
        "    time.sleep(600)\n"
    )  # fmt: skip
    command = [sys.executable, SCRIPT, "load", "--", *ALONE, str(tmp_path)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        until_blocking("the test runs", pids.exists)
        children = children_of(process.pid)
        assert len(children) == 5, "pytest and four busy processes"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert "stress-tests: interrupted" in output
    for pid in {*children, *map(int, pids.read_text().split())}:
        until_blocking("it has exited", lambda pid=pid: gone(pid))  # type: ignore[misc]


def children_of(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return [pid for pid, its_parent in rows if its_parent == parent]
