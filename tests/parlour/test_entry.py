"""The entry point: Ctrl-C prints no traceback, also while modules are imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
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


COMMAND = "import sys; from parlour.__main__ import main; print('here', flush=True); sys.exit(main())"
COMMANDS = (["rules"], ["best", "conga"], ["rooms", "--url", "ws://127.0.0.1:1/ws"], ["--help"])


@pytest.mark.parametrize("ms", range(0, 250, 25))
def test_two_ctrl_c_after_the_start_print_no_traceback(ms: int) -> None:
    """Before the first line of Parlour, a signal is handled by Python and by the script that pip writes."""
    arguments = [sys.executable, "-c", COMMAND, *COMMANDS[ms // 25 % len(COMMANDS)]]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(ms / 1000)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors
    assert process.returncode in (0, 2, 130, -signal.SIGINT)  # the first two if it was done before


def test_ctrl_c_while_another_is_handled_prints_nothing() -> None:
    program = (
        "import parlour.__main__\n"
        "class Late:\n    def __del__(self): raise KeyboardInterrupt\n"
        "late = Late()\ndel late\n"
        "try: raise KeyboardInterrupt\nexcept KeyboardInterrupt: raise KeyboardInterrupt"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_ctrl_c_during_an_import_of_a_command_ends_the_process(tmp_path: Path) -> None:
    """An extension module may crash later if its import is interrupted."""
    (tmp_path / "heavy.py").write_text(
        "import signal\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept BaseException:\n    print('interrupted')\n"
    )
    program = (
        "import parlour.cli.main, parlour.__main__\n"
        "def run():\n    import heavy\nparlour.cli.main.main = run\nparlour.__main__.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_while_a_command_looks_for_a_module_can_be_handled() -> None:
    program = (
        "import importlib.util, signal, sys, parlour.cli.main, parlour.__main__\n"
        "class Finder:\n    def find_spec(name, path, target=None): signal.raise_signal(signal.SIGINT)\n"
        "def run():\n"
        "    sys.meta_path.insert(0, Finder)\n"
        "    try: importlib.util.find_spec('nothing')\n"
        "    except KeyboardInterrupt: return 7\n"
        "parlour.cli.main.main = run\nsys.exit(parlour.__main__.main())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (7, "")


def test_other_exceptions_are_printed() -> None:
    program = "import parlour.__main__\nclass Bad:\n    def __del__(self): 1 / 0\nbad = Bad()\ndel bad\n1 / 0"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("ZeroDivisionError")) == (1, 2)
