"""docs/rules.md agrees with the engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.perft import perft
from engine.record import parse, verify, write
from engine.registry import GAMES, create

DOCS = Path(__file__).parents[2] / "docs"


def indented(text: str) -> list[str]:
    """Return the blocks that are indented by four spaces."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)
    return ["\n".join(line[4:] for line in block.strip("\n").split("\n")) for block in blocks]


def section(game: str) -> str:
    (found,) = [part for part in RULES.split("\n---\n") if f": `{game}`\n" in part]
    return found


RULES = (DOCS / "rules.md").read_text(encoding="utf-8")
DESCRIBED = re.findall(r"^## .*: `(\w+)`$", RULES, re.MULTILINE)


def test_documented_games_are_registered() -> None:
    assert len(DESCRIBED) >= 4
    assert set(DESCRIBED) <= set(GAMES)


@pytest.mark.parametrize("name", DESCRIBED)
def test_documented_positions_options_evaluations_and_perft_match_the_engine(name: str) -> None:
    check_section(section(name), name)


def check_section(text: str, name: str) -> None:
    positions = indented(text)
    assert len(positions) == 1, (
        f"the section of {name} in docs/rules.md must show one position, indented by four spaces"
    )
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
    assert len(lines) == 1, (
        f"the section of {name} in docs/rules.md must have one line '**perft** from the start: 7, 30, 60'"
    )
    counts = [int(number) for number in re.findall(r"\b\d+(?=,|\.|;| )", lines[0].partition(":")[2])]
    game = create(name)
    assert [perft(game, game.start(), depth) for depth in (1, 2, 3)] == counts[:3]


def test_documented_record_is_valid() -> None:
    record = parse(indented(RULES)[-1] + "\n")
    verify(record)
    assert write(record) == indented(RULES)[-1] + "\n"
