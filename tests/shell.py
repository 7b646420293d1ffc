"""Runs the shell commands that a document shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[1]


def run_script(script: str, folder: Path, timeout_s: float = TIMEOUT_S) -> subprocess.CompletedProcess[str]:
    """Run a script of bash in a folder, with the `parlour` of this checkout. The script ends with the first failure."""
    script = f'parlour() {{ "{sys.executable}" -m parlour "$@"; }}\nset -eo pipefail\n{script}'
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def check_console(block: str, folder: Path) -> None:
    """Assert that commands print the output that is shown below them. `…` in the output stands for any text."""
    lines = block.splitlines()
    done = run_script("\n".join(line[2:] for line in lines if line.startswith(("$ ", "> ")) or line == ">"), folder)
    assert (done.returncode, done.stderr) == (0, "")
    shown = "\n".join(line for line in lines if not line.startswith(("$ ", ">")))
    assert re.fullmatch(".*".join(map(re.escape, shown.split("…"))), done.stdout.rstrip("\n"), re.S), done.stdout
