"""The progress screen of a running tournament."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

import pexpect
import pytest

from bench import tournament as bench
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from tests.tournament.live import ROOT, plan_of
from tests.waiting import TIMEOUT_S

TWO = (Contestant("greedy", bot="greedy"), Contestant("random", bot="random"))


GAMES = 100  # enough for several refreshes of the screen


def test_screen_shows_bar_table_and_running_games(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", TWO, games=GAMES))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    child = pexpect.spawn(
        sys.executable, ["-m", "parlour", "tournament", "run", str(folder.path)], env=environment, cwd=str(ROOT),
        dimensions=(30, 100), encoding="utf-8", timeout=TIMEOUT_S,
    )  # fmt: skip
    try:
        child.expect(rf"\[[#.]{{30}}\] \d+ of {GAMES} games")
        child.expect("player  points")
        child.expect(r"game \d+: (greedy - random|random - greedy), (move \d+|waiting)")
        child.expect(rf"\[#{{30}}\] {GAMES} of {GAMES} games")
        child.expect_exact("\x1b[?25h")
        child.expect("greedy against random: ")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


def test_benchmark_prints_ratio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(Namespace(games=20, concurrency=5, repeat=1, dir=str(tmp_path)))
    assert " x of the rate without a runner" in capsys.readouterr().out
