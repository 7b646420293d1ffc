"""The worked example of docs/adding-a-game.md passes the tests of every game."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.contract.checks import CHECKS, Check
from engine.contract.positions import positions
from engine.perft import perft
from engine.registry import create
from tests.engine.example_game import code_block, example_installed
from tests.engine.variants import Variant, extremes
from tests.search import test_tree

GENERIC_TESTS = [
    test
    for name, test in vars(test_tree).items()
    if name.startswith("test_") and "variant" in inspect.signature(test).parameters
]


@pytest.fixture(autouse=True)
def apart(tmp_path: Path) -> Iterator[None]:
    with example_installed(tmp_path):
        yield


def test_example_matches_its_perft_counts() -> None:
    for case in json.loads(code_block("json"))["cases"]:
        game = create("apart", case["options"])
        assert [perft(game, game.start(), depth) for depth, _ in enumerate(case["counts"], 1)] == case["counts"]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name.replace(" ", "-"))
def test_example_keeps_the_contract(check: Check) -> None:
    for variant in (("apart", {}), *extremes("apart")):
        game = create(*variant)
        check.run(game, list(positions(game, check.games)))


@pytest.mark.parametrize("generic_test", GENERIC_TESTS)
def test_example_passes_the_generic_game_tests(generic_test: Callable[[Variant], None]) -> None:
    for variant in (("apart", {}), *extremes("apart")):
        generic_test(variant)
