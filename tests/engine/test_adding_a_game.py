"""The worked example of docs/adding-a-game.md is a game like any other."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.perft import perft
from engine.registry import GAMES, create
from tests.engine import test_contract
from tests.engine.test_docs import DOCS, check_section
from tests.engine.variants import Variant, extremes
from tests.search import test_tree

TEXT = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
PROMISES = [
    test
    for module in (test_contract, test_tree)
    for name, test in vars(module).items()
    if name.startswith("test_") and "variant" in inspect.signature(test).parameters
]


def shown(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(block)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is registered."""
    file = tmp_path / "apart.py"
    file.write_text(shown("python"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("apart_example", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "apart_example", module)
    spec.loader.exec_module(module)
    monkeypatch.setitem(GAMES, "apart", module.Apart)


def test_its_counts() -> None:
    for case in json.loads(shown("json"))["cases"]:
        game = create("apart", case["options"])
        assert [perft(game, game.start(), depth) for depth, _ in enumerate(case["counts"], 1)] == case["counts"]


def test_its_rules_in_words() -> None:
    check_section(shown("markdown"), "apart")


@pytest.mark.parametrize("promise", PROMISES)
def test_it_keeps_what_every_game_promises(promise: Callable[[Variant], None]) -> None:
    for variant in (("apart", {}), *extremes("apart")):
        promise(variant)
