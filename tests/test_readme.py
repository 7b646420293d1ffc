"""The README's examples: commands print the output shown, the Python code runs, links exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGE, re.S | re.M)
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.S | re.M)


@pytest.mark.parametrize("number", range(len(CONSOLE)))
def test_commands_print_the_output_shown(number: int, tmp_path: Path) -> None:
    lines = CONSOLE[number].splitlines()
    script = "\n".join(line[2:] for line in lines if line.startswith(("$ ", "> ")) or line == ">")
    script = f'parlour() {{ "{sys.executable}" -m parlour "$@"; }}\nset -eo pipefail\n{script}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = "\n".join(line for line in lines if not line.startswith(("$ ", ">")))
    assert re.fullmatch(".*".join(map(re.escape, shown.split("…"))), done.stdout.rstrip("\n"), re.S), done.stdout


def test_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M)
    exec(block, {})
    assert capsys.readouterr().out.splitlines()[0] == "3,3,3,3/0,1,5,5 0,1 2"


def test_links_exist() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_ci_runs_the_test_command_of_the_readme() -> None:
    start, tests = COMMANDS
    assert start.startswith("python3 -m venv .venv && .venv/bin/pip install -q -e '.[fast]' && .venv/bin/parlour ")
    assert tests.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
