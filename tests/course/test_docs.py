"""The examples in docs/course.md: commands print the output shown, Python code runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGE, re.S | re.M)
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M)


def test_page_has_examples() -> None:
    assert len(CONSOLE) >= 6
    assert len(PYTHON) == 3


@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are written for a shell")
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: block.splitlines()[-1][:20])
def test_documented_commands_print_the_output_shown(block: str, tmp_path: Path) -> None:
    lines = block.splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    script = f'parlour() {{ "{sys.executable}" -m parlour "$@"; }}\nset -eo pipefail\n{script}'
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    shown = "\n".join(line for line in lines if not line.startswith("$ "))
    assert re.fullmatch(".*".join(map(re.escape, shown.split("…"))), done.stdout.rstrip("\n"), re.S), done.stdout


@pytest.mark.parametrize("block", PYTHON)
def test_documented_python_runs(block: str) -> None:
    names: dict[str, object] = {}
    exec(block, names)
    assert names.get("seen") or names.get("move")
