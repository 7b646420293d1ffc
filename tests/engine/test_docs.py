"""What docs/rules.md shows is what the engine does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.perft import perft
from engine.record import parse, verify, write
from engine.registry import GAMES, create

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
def test_positions_options_evaluations_and_counts_are_those_of_the_engine(name: str) -> None:
    check_section(section(name), name)


def check_section(text: str, name: str) -> None:
    positions = indented(text)
    assert len(positions) == 1, f"the section of {name} in docs/rules.md shows one position, four blanks in"
    (position,) = positions
    game = create(name, {"start": position})
    assert game.dump(game.start()) == position
    for option in game.options:
        assert f"`{option.name}`" in text
        if option.low is not None:
            assert f"| `{option.name}` | {option.low} to {option.high} | {option.default} |" in text
        assert all(f"`{choice}`" in text for choice in option.choices)
    assert all(f"`{evaluation}`" in text for evaluation in game.evaluations)

    lines = re.findall(r"\*\*perft\*\* from the start(.*)", text)
    assert len(lines) == 1, f"the section of {name} in docs/rules.md has one line '**perft** from the start: 7, 30, 60'"
    counts = [int(number) for number in re.findall(r"\b\d+(?=,|\.|;| )", lines[0].partition(":")[2])]
    game = create(name)
    assert [perft(game, game.start(), depth) for depth in (1, 2, 3)] == counts[:3]


def test_the_record_is_one() -> None:
    record = parse(indented(RULES)[-1] + "\n")
    verify(record)
    assert write(record) == indented(RULES)[-1] + "\n"
