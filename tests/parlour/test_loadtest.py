"""parlour loadtest: measures a server of one's own, and leaves all others alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.cli.main import main
from server.app import running
from server.config import Settings


async def test_it_measures_and_stops_by_itself(tmp_path: Path) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"))) as server:
        command = ["loadtest", "--url", server.url, "--matches", "4", "--watchers", "3", "--seconds", "1", "--think", "0.05"]  # fmt: skip  # noqa: E501
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-m", "parlour", *command], capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        lines = {line.split()[0]: line for line in done.stdout.splitlines()}
        assert int(lines["moves"].split()[1].removesuffix("/s,")) > 5
        assert int(lines["deliveries"].split()[1].removesuffix("/s")) > 5
        assert "p99" in lines["send"]
        assert "errors       0, connections lost 0" in done.stdout


async def test_refusals_are_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"), rate=2.0, burst=6)) as server:
        command = ["loadtest", "--url", server.url, "--matches", "1", "--seconds", "1", "--think", "0"]
        assert await asyncio.to_thread(main, command) == 1
    assert "rate_limited" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--url", "ws://example.org/ws"], "not on this machine"),
        (["--url", "::"], "no address"),
        (["--matches", "100000"], "--matches is between 1 and 1000"),
        (["--seconds", "0"], "--seconds is between 1 and 600"),
        (["--think", "-1"], "--think"),
        (["--url", "ws://127.0.0.1:1/ws"], "cannot begin"),
    ],
)
def test_what_it_refuses(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", *words]) == 2
    assert why in capsys.readouterr().err
