"""perft counts: one file per game and profile in tests/engine/perft."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.contract.perft_file import Case, cases_are_complete, counts_agree, read_cases
from engine.perft import perft
from engine.registry import GAMES, create


def load() -> list[Case]:
    files = sorted((Path(__file__).parent / "perft").glob("*.json"))
    return [case for file in files for case in read_cases(file)]


CASES = load()
IDS = [f"{case.game}-{'-'.join(map(str, case.options.values()))}" for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_small_counts(case: Case) -> None:
    counts_agree(GAMES[case.game], case)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_all_counts(case: Case) -> None:
    counts_agree(GAMES[case.game], case, max(case.counts))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_counts_from_its_start_and_for_each_profile(game: str) -> None:
    cases_are_complete(GAMES[game], [case for case in CASES if case.game == game])


def test_perft_of_depth_0_is_1() -> None:
    game = create("conga")
    assert perft(game, game.start(), 0) == 1
