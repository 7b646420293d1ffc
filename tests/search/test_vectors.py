"""Exact values from an independent program (skipped if the shared data is missing), and published values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.registry import create
from engine.search import Limits, Thinker

DATA = Path(__file__).parents[3] / "shared" / "data"
VECTORS: dict[str, Any] = json.loads((DATA / "vectors.json").read_text()) if (DATA / "vectors.json").exists() else {}
needs_data = pytest.mark.skipif(not VECTORS, reason="the shared data is missing")

PUBLISHED = {4: (2, 6, 8, 2, 2, 0), 5: (0, 0, 8, 12, 2), 6: (2, 10, 2, 10)}  # docs/rules.md: "Solving Kalah"
QUICK = [(4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2), (6, 1), (6, 2)]
COHCOH = [(4, 2, -1), (4, 3, -1), (4, 4, 0), (5, 2, -1), (5, 3, -1), (5, 4, 0), (5, 5, 0)]


def solve(name: str, options: dict[str, object], compiled: bool | None = None) -> tuple[float, str | None]:
    game = create(name, options)
    report = Thinker(game, compiled=compiled).solve(game.start(), Limits())
    assert report.proved
    return report.value, None if report.move is None else game.format(game.start(), report.move)


@needs_data
@pytest.mark.parametrize("profile", ["course", "prose", "standard"])
def test_late_mancala_positions_have_the_known_values(profile: str) -> None:
    for case in VECTORS["mancala"]["late"]:
        top, bottom, store2, store1, player = case["pos"]
        text = f"{','.join(map(str, top))}/{','.join(map(str, bottom))} {store2},{store1} {player}"
        value, move = solve("mancala", {"start": text, "rules": profile}, compiled=False)
        margin = case[profile]["margin"]  # of player 1
        assert value == (margin if player == 1 else -margin)
        assert case[profile]["moves"][move] == margin


@needs_data
def test_late_maxconnect4_positions_have_the_known_values() -> None:
    for case in VECTORS["maxconnect4"]["late"]:
        value, move = solve("maxconnect4", {"start": f"{'/'.join(case['rows'])} {case['next']}"})
        assert value == case["final_difference"] * (1 if case["next"] == 1 else -1)
        assert case["moves"][move] == case["final_difference"]


@needs_data
def test_solved_cohcoh_positions_have_the_known_values() -> None:
    for case in VECTORS["cohcoh"]["solved"]:
        options = {"n": case["n"], "k": case["k"], "start": f"{case['pos']} {case['next']}"}
        value, move = solve("cohcoh", options, compiled=False)
        assert value == case["value"]
        assert move is not None
        cell = case["n"] * (case["n"] - int(move[1:])) + "abcdefghijkl".index(move[0])
        assert case["moves"][str(cell)] == case["value"]


@needs_data
def test_small_cohcoh_boards_have_the_known_values() -> None:
    for board, case in VECTORS["cohcoh"]["values"].items():
        n, k = map(int, board.split(","))
        if case["value"] is not None and n <= 3:
            assert solve("cohcoh", {"n": n, "k": k}, compiled=False)[0] == case["value"], board


@needs_data
def test_forced_conga_positions_are_proved() -> None:
    game = create("conga")
    thinker = Thinker(game, compiled=True)
    for case in VECTORS["conga"]["forced"]:
        report = thinker.think(game.load(case["pos"]), Limits(depth=7))
        if case["outcome"] == "none":
            assert not report.proved
        else:
            assert (report.proved, report.value) == (True, 1 if case["outcome"] == "win" else -1)
            assert report.depth <= case["plies"] + 1
        if "first" in case:
            squares = [f"{'abcd'[int(m[0]) - 1]}{m[1]}{'abcd'[int(m[3]) - 1]}{m[4]}" for m in case["first"].split()]
            assert report.move is not None
            assert game.format(game.load(case["pos"]), report.move) in squares


@needs_data
def test_every_position_of_cohcoh_3_3_has_the_known_value() -> None:
    thinker = Thinker(create("cohcoh", {"n": 3, "k": 3}), compiled=False)
    game = thinker.game
    rows = [line.split("\t") for line in (DATA / "cohcoh" / "exact_n3_k3.tsv").read_text().splitlines()[1:]]
    for board, turn, status, value, cells in rows[::7]:
        if status != "open":
            continue
        state = game.load(f"{board} {turn}")
        report = thinker.solve(state, Limits())
        assert report.value == int(value) * (1 if turn == "w" else -1), board
        assert str(report.move) in cells.split(","), board


def check_published(pits: int, stones: int) -> None:
    compiled = pits * stones >= 16  # for smaller games, compiling takes longer than the search
    assert solve("mancala", {"pits": pits, "stones": stones}, compiled)[0] == PUBLISHED[pits][stones - 1]


@pytest.mark.parametrize(("pits", "stones"), QUICK)
def test_mancala_has_the_published_values(pits: int, stones: int) -> None:
    check_published(pits, stones)


@pytest.mark.long
@pytest.mark.parametrize("pits", sorted(PUBLISHED))
def test_mancala_has_all_published_values(pits: int) -> None:
    for stones in range(1, len(PUBLISHED[pits]) + 1):
        check_published(pits, stones)


@pytest.mark.long
@pytest.mark.parametrize(("n", "k", "value"), COHCOH)
def test_cohcoh_has_the_known_values(n: int, k: int, value: int) -> None:
    assert solve("cohcoh", {"n": n, "k": k}, compiled=True)[0] == value
