"""`parlour loadtest` measures your own server, and refuses to test others."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.cli.main import main
from server.app import running
from server.config import Settings
from tests.e2e.local_server import parlour_command

DURATIONS_S = ("1", "5", "25", "100")  # on a busy machine, nothing may happen within the shorter ones


async def test_loadtest_measures_and_stops(tmp_path: Path) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"))) as server:
        words = ("--url", server.url, "--matches", "4", "--watchers", "3", "--think", "0.05")
        for seconds in DURATIONS_S:
            status, out, err = await parlour_command("loadtest", *words, "--seconds", seconds)
            lines = {line.split()[0]: line for line in out.splitlines()}
            moves, deliveries = (int(lines[name].split()[1].strip("/s,")) for name in ("moves", "deliveries"))
            if moves and deliveries:
                break
        assert (status, err) == (0, "")
        assert moves > 0
        assert deliveries > 0
        assert "p99" in lines["latency"]
        assert "errors       0, connections lost 0" in out


async def test_loadtest_counts_refusals(tmp_path: Path) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"), rate=2.0, burst=6)) as server:
        for seconds in DURATIONS_S:
            words = ("--url", server.url, "--matches", "1", "--seconds", seconds, "--think", "0")
            status, out, _ = await parlour_command("loadtest", *words)
            if "rate_limited" in out:
                break
        assert status == 1
        assert "rate_limited" in out


async def test_loadtest_waits_until_the_server_admits_its_clients(tmp_path: Path) -> None:
    async with running(Settings(port=0, db=str(tmp_path / "x.db"), rate=4.0, burst=4)) as server:
        for seconds in DURATIONS_S:  # until a move falls into the time that is measured
            words = ("--url", server.url, "--matches", "8", "--watchers", "3", "--seconds", seconds, "--think", "1")
            status, _, err = await parlour_command("loadtest", *words)
            if status == 0:
                break
        assert (status, err) == (0, "")
        assert server.app.metrics.refusals["rate_limited"]


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
