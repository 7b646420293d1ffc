"""What docs/rules.md shows is what the engine does; the worked example of docs/adding-a-game.md works."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from engine.game import Game
from engine.perft import perft
from engine.record import parse, verify, write
from engine.registry import GAMES, create
from engine.search import Limits, think

DOCS = Path(__file__).parents[2] / "docs"


def indented(text: str) -> list[str]:
    """The blocks that stand four blanks in."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    return ["\n".join(line[4:] for line in block.strip("\n").split("\n")) for block in blocks]


def section(game: str) -> str:
    (found,) = [part for part in RULES.split("\n---\n") if f": `{game}`\n" in part]
    return found


RULES = (DOCS / "rules.md").read_text(encoding="utf-8")
DESCRIBED = re.findall(r"^## .*: `(\w+)`$", RULES, re.MULTILINE)


def test_the_games_described_are_there() -> None:
    assert len(DESCRIBED) >= 4
    assert set(DESCRIBED) <= set(GAMES)


@pytest.mark.parametrize("name", DESCRIBED)
def test_positions_options_and_evaluations_are_those_of_the_engine(name: str) -> None:
    text = section(name)
    (position,) = indented(text)
    game = create(name, {"start": position})
    assert game.dump(game.start()) == position
    for option in game.options:
        assert f"`{option.name}`" in text
        if option.low is not None:
            assert f"| `{option.name}` | {option.low} to {option.high} | {option.default} |" in text
        assert all(f"`{choice}`" in text for choice in option.choices)
    assert all(f"`{evaluation}`" in text for evaluation in game.evaluations)


@pytest.mark.parametrize("name", DESCRIBED)
def test_counts_are_those_of_the_engine(name: str) -> None:
    (line,) = re.findall(r"\*\*perft\*\* from the start(.*)", section(name))
    counts = [int(number) for number in re.findall(r"\b\d+(?=,|\.| )", line.partition(":")[2])]
    game = create(name)
    assert [perft(game, game.start(), depth) for depth in (1, 2, 3)] == counts[:3]


def test_the_record_is_one() -> None:
    record = parse(indented(RULES)[-1] + "\n")
    verify(record)
    assert write(record) == indented(RULES)[-1] + "\n"


def test_the_worked_example_of_a_new_game(tmp_path: Path) -> None:
    text = (DOCS / "adding-a-game.md").read_text(encoding="utf-8")
    source, data = (
        re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0],
        re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0],
    )
    file = tmp_path / "apart.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("apart_example", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["apart_example"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for case in json.loads(data)["cases"]:
        game: Game = module.Apart(case["options"])
        counts = [perft(game, game.start(), depth) for depth in range(1, len(case["counts"]) + 1)]
        assert counts == case["counts"]
        state = game.start()
        while moves := game.moves(state):
            assert game.load(game.dump(state)) == state
            state = game.play(state, moves[-1])
        assert game.outcome(state) is not None
        assert think(game, game.start(), Limits(depth=4), compiled=False).move in game.moves(game.start())
