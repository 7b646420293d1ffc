"""`parlour loadtest` measures your own server, and refuses to test others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.cli.main import main
from server.app import running
from server.config import Settings


async def test_loadtest_measures_and_stops(tmp_path: Path) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"))) as server:
        command = ["loadtest", "--url", server.url, "--matches", "4", "--watchers", "3", "--seconds", "1", "--think", "0.05"]  # fmt: skip  # noqa: E501
        done = await asyncio.to_thread(
            subprocess.run, [sys.executable, "-m", "parlour", *command], capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        lines = {line.split()[0]: line for line in done.stdout.splitlines()}
        assert int(lines["moves"].split()[1].removesuffix("/s,")) > 5
        assert int(lines["deliveries"].split()[1].removesuffix("/s")) > 5
        assert "p99" in lines["latency"]
        assert "errors       0, connections lost 0" in done.stdout


async def test_loadtest_counts_refusals(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"), rate=2.0, burst=6)) as server:
        command = ["loadtest", "--url", server.url, "--matches", "1", "--seconds", "1", "--think", "0"]
        assert await asyncio.to_thread(main, command) == 1
    assert "rate_limited" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--url", "ws://example.org/ws"], "not on this machine"),
        (["--url", "::"], "address"),
        (["--matches", "100000"], "--matches must be between 1 and 1000"),
        (["--seconds", "0"], "--seconds must be between 1 and 600"),
        (["--think", "-1"], "--think"),
        (["--url", "ws://127.0.0.1:1/ws"], "cannot test ws://127.0.0.1:1/ws"),
    ],
)
def test_loadtest_refuses_wrong_arguments(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["loadtest", *words]) == 2
    assert why in capsys.readouterr().err
