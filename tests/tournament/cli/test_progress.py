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


@pytest.fixture
def cup(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", TWO, games=GAMES))
    return folder


def running(folder: Folder, *words: str) -> pexpect.spawn[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    return pexpect.spawn(
        sys.executable, ["-m", "parlour", "tournament", *words, str(folder.path)], env=environment, cwd=str(ROOT),
        dimensions=(30, 100), encoding="utf-8", timeout=TIMEOUT_S,
    )  # fmt: skip


def end(child: pexpect.spawn[str]) -> object:
    child.expect(pexpect.EOF)
    child.wait()
    return child.exitstatus


def test_screen_shows_progress_standing_and_boards_until_the_end(cup: Folder) -> None:
    child = running(cup, "run")
    try:
        child.expect(rf"\d+ of {GAMES} games")
        child.expect("Standing")
        child.expect("Now playing")
        child.expect("greedy against random: ")
        assert end(child) == 0
    finally:
        child.close(force=True)


def test_ctrl_c_on_the_screen_stops_and_the_tournament_can_be_resumed(cup: Folder) -> None:
    child = running(cup, "run")
    try:
        child.expect(rf"[1-9]\d* of {GAMES} games")
        child.send("\x03")
        child.expect("stopped; continue with: parlour tournament resume")
        assert end(child) == 130
    finally:
        child.close(force=True)
    played = len(cup.state().results)
    assert 0 < played < GAMES
    child = running(cup, "resume", "--plain")
    try:
        child.expect(r"game \d+, round \d+: ")
        child.expect("greedy against random: ")
        assert end(child) == 0
    finally:
        child.close(force=True)
    assert len(cup.state().results) == GAMES


def test_tournament_goes_on_with_lines_if_the_user_leaves_the_screen(cup: Folder) -> None:
    child = running(cup, "run")
    try:
        child.expect(rf"[1-9]\d* of {GAMES} games")
        child.send("q")
        child.expect("the tournament continues; Ctrl-C stops it")
        child.expect(r"game \d+, round \d+: .* \(")
        child.expect("greedy against random: ")
        assert end(child) == 0
    finally:
        child.close(force=True)


def test_benchmark_prints_ratio(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(Namespace(games=20, concurrency=5, repeat=1, dir=str(tmp_path)))
    assert " x of the rate without a runner" in capsys.readouterr().out
