"""The plan and the commands in docs/tournaments.md work."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from client.tournament.model import plan_file
from tests.shell import run_script

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tournaments.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.S | re.M)
PLANS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.S | re.M)


def test_plan_with_every_key_can_be_read(tmp_path: Path) -> None:
    (text,) = PLANS
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    assert plan_file.load(path).names == ("three", "homework", "alice", "bot-of-the-department")


@pytest.mark.long
@pytest.mark.parametrize("number", [number for number, text in enumerate(COMMANDS) if "--url" not in text][:3])
def test_documented_commands_run(number: int, tmp_path: Path) -> None:
    done = run_script(COMMANDS[number], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
