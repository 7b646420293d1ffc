"""perft counts: one file per game and profile in tests/engine/perft."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.perft import perft
from engine.registry import GAMES, create

MAX_QUICK_COUNT = 200_000  # larger counts run with pytest -m long


class Case(NamedTuple):
    game: str
    options: dict[str, Any]
    counts: list[int]


def load() -> list[Case]:
    files = sorted((Path(__file__).parent / "perft").glob("*.json"))
    data = [json.loads(file.read_text()) for file in files]
    return [Case(entry["game"], case["options"], case["counts"]) for entry in data for case in entry["cases"]]


CASES = load()
IDS = [f"{case.game}-{'-'.join(map(str, case.options.values()))}" for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_small_counts(case: Case) -> None:
    game = create(case.game, case.options)
    quick = [count for count in case.counts if count <= MAX_QUICK_COUNT]
    assert [perft(game, game.start(), depth) for depth in range(1, len(quick) + 1)] == quick


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_all_counts(case: Case) -> None:
    game = create(case.game, case.options)
    depths = range(1, len(case.counts) + 1)
    assert [perft(game, game.start(), depth) for depth in depths] == case.counts


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_counts_from_its_start_and_for_each_profile(game: str) -> None:
    brought = [case for case in CASES if case.game == game]
    assert brought, f"there is no file for {game} in tests/engine/perft"
    whole = [case for case in brought if "start" not in case.options and len(case.counts) >= 4]
    assert whole, f"{game} has no four counts from its usual start in tests/engine/perft"
    for option in GAMES[game].options:
        for choice in option.choices:
            assert any(case.options.get(option.name) == choice for case in brought), f"no counts for {choice}"


def test_perft_of_depth_0_is_1() -> None:
    game = create("conga")
    assert perft(game, game.start(), 0) == 1
