"""The README's examples: commands print the output shown, the Python code runs, links exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shell import check_console

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGE, re.S | re.M)
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.S | re.M)


@pytest.mark.parametrize("number", range(len(CONSOLE)))
def test_commands_print_the_output_shown(number: int, tmp_path: Path) -> None:
    check_console(CONSOLE[number], tmp_path)


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
