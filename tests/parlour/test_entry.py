"""The entry point: Ctrl-C prints no traceback, also while modules are imported."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
# Two versions of `parlour/cli/main.py`: one waits while it is imported, the other while its command runs.
IMPORTING = """
import time
print("here", flush=True)
time.sleep(60)
"""
RUNNING = """
import time
def main():
    try:
        print("here", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        return 130
"""


@pytest.mark.parametrize(("module", "codes"), [(IMPORTING, (-signal.SIGINT,)), (RUNNING, (130, -signal.SIGINT))])
def test_ctrl_c_prints_no_traceback(module: str, codes: tuple[int, ...], tmp_path: Path) -> None:
    package = tmp_path / "parlour"
    (package / "cli").mkdir(parents=True)
    for name in ("__init__.py", "cli/__init__.py"):
        (package / name).touch()
    (package / "__main__.py").write_text((ROOT / "parlour" / "__main__.py").read_text())
    (package / "cli" / "main.py").write_text(module)
    with subprocess.Popen(
        [sys.executable, "-m", "parlour"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert errors == ""
    assert process.returncode in codes


def test_ignored_ctrl_c_stays_ignored() -> None:
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.argv = ['parlour', '--version'];"
    program += "from parlour.__main__ import main; main(); print(signal.getsignal(signal.SIGINT).name)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "SIG_IGN"
