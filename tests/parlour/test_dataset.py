"""`parlour dataset`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.record import parse, write
from engine.registry import create
from engine.search import Limits, Thinker
from parlour.cli.main import main
from parlour.dataset.rows import COLUMNS
from tests.e2e.local_server import LINE, play, running_server, seat_two, session
from tests.engine.self_play import self_play
from tests.waiting import TIMEOUT_S, until_blocking

ROOT = Path(__file__).parents[2]
SMALL = ("--option", "pits=3", "--option", "stones=2")
COMMAND = ("-m", "parlour", "dataset")


def export(path: Path, *words: str) -> list[dict[str, Any]]:
    assert main(["dataset", *words, "--out", str(path)]) == 0
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_rows_of_self_play_are_exact(tmp_path: Path) -> None:
    rows = export(tmp_path / "a.jsonl", "mancala", *SMALL, "--games", "3", "--plain")
    assert {tuple(row) for row in rows} == {tuple(COLUMNS)}
    assert len({row["source"] for row in rows}) == 3
    thinker = Thinker(create("mancala", {"pits": 3, "stones": 2}), compiled=False)
    game = thinker.game
    for row in rows:
        state = game.load(row["position"])
        found = thinker.solve(state, Limits())
        assert (row["value"], row["estimate"]) == (found.value, None)
        assert game.after(state, game.parse(state, row["best"])) in [game.after(state, move) for move in row["actions"]]
        assert (row["side"], row["actions"]) == (state.turn, list(game.moves(state)))
        assert [game.parse(state, text) for text in row["legal"]] == row["actions"]
        assert game.parse(state, row["move"]) == row["action"]
        assert row["reward"] == {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[row["result"]] * (1 - 2 * state.turn)
    assert export(tmp_path / "b.jsonl", "mancala", *SMALL, "--games", "2", "--skip", "1", "--plain") == [
        row for row in rows if row["source"] != "self-play 1 1"
    ]


def test_estimates_are_apart_from_proofs(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    record.write_text(write(self_play(create("maxconnect4"), 4)), encoding="utf-8")
    rows = export(tmp_path / "a.jsonl", "maxconnect4", "--from", str(record), "--nodes", "100", "--plain")
    assert all((row["value"] is None) != (row["estimate"] is None) for row in rows)
    assert {row["value"] is None for row in rows} == {True, False}
    assert all(row["depth"] >= 1 for row in rows)
    bare = export(tmp_path / "b.jsonl", "maxconnect4", "--from", str(record), "--nodes", "0")
    assert [row["move"] for row in bare] == [row["move"] for row in rows]
    assert {(row["value"], row["estimate"], row["depth"], row["best"]) for row in bare} == {(None,) * 4}


def test_records_are_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "game.txt"
    record.write_text(write(self_play(create("cohcoh"), 4)), encoding="utf-8")
    rows = export(tmp_path / "a.jsonl", "cohcoh", "--from", str(record), "--nodes", "0")
    assert [row["move"] for row in rows] == [played.move for played in parse(record.read_text()).moves]
    assert {row["source"] for row in rows} == {str(record)}
    assert main(["dataset", "conga", "--from", str(record), "--out", str(tmp_path / "b.jsonl")]) == 2
    assert "is a game of cohcoh: leave it out" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "game.txt"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chess", "--out", "a.jsonl"], "there is no game 'chess'"),
        (["conga", "--out", "a.csv"], "must end in .jsonl or .parquet"),
        (["conga", "--out", "nowhere/a.jsonl"], "nowhere"),
        (["conga", "--server", "--from", "x", "--out", "a.jsonl"], "exclude each other"),
        (["conga", "--server", "--db", "x.db", "--out", "a.jsonl"], "--server and --db exclude each other"),
        (["conga", "--db", "x.db", "--out", "a.jsonl"], "x.db"),
        (["conga", "--server", "--url", "ws://127.0.0.1:9/ws", "--out", "a.jsonl"], "127.0.0.1:9"),
    ],
)
def test_mistakes_leave_no_file(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["dataset", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_parquet_without_pyarrow_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["dataset", "conga", "--out", str(tmp_path / "a.parquet")]) == 2
    assert "pip install 'parlour[parquet]', or write .jsonl" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_parquet_has_the_rows_of_json_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("parlour.dataset.writers.GROUP_ROWS", 20)
    words = ["mancala", *SMALL, "--games", "5", "--plain", "--nodes", "50"]
    rows = export(tmp_path / "a.jsonl", *words)
    assert main(["dataset", *words, "--out", str(tmp_path / "a.parquet")]) == 0
    file = parquet.ParquetFile(tmp_path / "a.parquet")
    assert file.read().to_pylist() == rows
    assert file.num_row_groups > 1


async def test_finished_games_of_a_server_are_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server(tmp_path) as server, session(server.url) as one, session(server.url) as two:
        rooms = []
        for _ in range(3):
            room = await seat_two(one, two, "cohcoh")
            await play((one, two), room, LINE)
            rooms.append(room)
        other = await seat_two(one, two, "cohcoh", options={"n": 3})
        await play((one, two), other, ("a1", "c3", "a2", "c2", "a3"))
        words = ["cohcoh", "--server", "--url", server.url, "--nodes", "0", "--option", "n=4"]
        rows = await asyncio.to_thread(export, tmp_path / "all.jsonl", *words)
        part = await asyncio.to_thread(export, tmp_path / "part.jsonl", *words, "--skip", "1", "--games", "1")
    monkeypatch.setattr("parlour.cli.commands.dataset.PAGE_ROOMS", 1)
    db = ["--db", str(tmp_path / "parlour.db"), *words[4:]]
    assert await asyncio.to_thread(export, tmp_path / "stored.jsonl", "cohcoh", *db) == rows
    assert (
        await asyncio.to_thread(export, tmp_path / "some.jsonl", "cohcoh", *db, "--skip", "1", "--games", "1") == part
    )
    assert list(dict.fromkeys(row["source"] for row in rows)) == rooms[::-1]
    assert [row["move"] for row in rows] == list(LINE) * 3
    assert {row["source"] for row in part} == {rooms[1]}


def test_interrupt_completes_the_file(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "mancala", *SMALL, "--games", "100000", "--nodes", "0", "--out", "a.jsonl"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    draft = tmp_path / "a.jsonl.draft"
    until_blocking("rows were written", lambda: draft.exists() and draft.stat().st_size)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert f"{len(rows)} positions" in out
    assert not draft.exists()
