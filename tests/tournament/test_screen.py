"""What is seen while a tournament is played: a screen at a terminal, lines and JSON elsewhere."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import Namespace
from pathlib import Path

import pexpect
import pytest

from bench import tournament as bench
from client.tournament.folder import Folder
from client.tournament.plan import Contestant
from tests.tournament.houses import ROOT, plan_of, start_command

TWO = (Contestant("greedy", bot="greedy"), Contestant("random", bot="random"))


def test_at_a_terminal_there_is_a_bar_a_table_and_the_games_under_way(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", TWO, games=60))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    child = pexpect.spawn(
        sys.executable, ["-m", "parlour", "tournament", "run", str(folder.path)], env=environment, cwd=str(ROOT),
        dimensions=(30, 100), encoding="utf-8", timeout=60,
    )  # fmt: skip
    try:
        child.expect(r"\[[#.]{30}\] \d+ of 60 games")
        child.expect("player  points")
        child.expect(r"game \d+: (greedy - random|random - greedy), (move \d+|waiting)")
        child.expect(r"\[#{30}\] 60 of 60 games")
        child.expect_exact("\x1b[?25h")
        child.expect("greedy against random: ")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


async def test_for_programs_there_is_one_object_a_line(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("match", TWO, games=4))
    process = await start_command("run", str(folder.path), "--json")
    out, errors = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, errors) == (0, b"")
    entries = [json.loads(line) for line in out.splitlines()]
    ended = [entry for entry in entries if entry["type"] == "ended"]
    assert sorted(entry["game"] for entry in ended) == [1, 2, 3, 4]
    assert ended[0].keys() == {"type", "game", "round", "seats", "room", "result", "reason", "forfeit"}
    again = await start_command("resume", str(folder.path), "--json")
    assert (await asyncio.wait_for(again.communicate(), 60), again.returncode) == ((b"", b""), 0)


def test_the_benchmark_measures_something(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.main(Namespace(games=20, concurrency=5, repeat=1, dir=str(tmp_path)))
    assert " x of what the server does without one" in capsys.readouterr().out
