"""The examples in docs/course.md: commands print the output shown, Python code runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.shell import check_console

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "course.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", PAGE, re.S | re.M)
PYTHON = re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M)


def test_page_has_examples() -> None:
    assert len(CONSOLE) >= 6
    assert len(PYTHON) == 3


@pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are written for a shell")
@pytest.mark.parametrize("block", CONSOLE, ids=lambda block: block.splitlines()[-1][:20])
def test_documented_commands_print_the_output_shown(block: str, tmp_path: Path) -> None:
    check_console(block, tmp_path)


@pytest.mark.parametrize("block", PYTHON)
def test_documented_python_runs(block: str) -> None:
    names: dict[str, object] = {}
    exec(block, names)
    assert names.get("seen") or names.get("move")
