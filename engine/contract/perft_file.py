"""The perft file of a game: the numbers of move sequences that its rules must produce."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from engine.contract.sentences import ContractError, expect
from engine.errors import GameError
from engine.game import Game
from engine.perft import perft
from runtime.untrusted_files import parse_json, read_file

MAX_QUICK_COUNT = 200_000  # greater counts take long
MIN_COUNTS = 4
MAX_FILE_BYTES = 1 << 20
EXAMPLE = '{"game": "NAME", "cases": [{"options": {}, "counts": [7, 30, 60, 24]}]}'


class Case(NamedTuple):
    """Counts for one set of options, from depth 1."""

    game: str
    options: dict[str, Any]
    counts: list[int]


def read_cases(file: Path) -> list[Case]:
    """Return the cases of a file. Raises ContractError."""
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise ContractError(f"{file.name} is too large")
        data = parse_json(read_file(file, MAX_FILE_BYTES))
        cases = [Case(data["game"], case["options"], case["counts"]) for case in data["cases"]]
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ContractError(f"there are no perft counts ({file}: {why}): write them as {EXAMPLE}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise ContractError(f"{file.name} is not a perft file: write it as {EXAMPLE}") from error
    for case in cases:
        whole = all(isinstance(count, int) and not isinstance(count, bool) for count in case.counts)
        expect(isinstance(case.options, dict) and whole, f"{file.name} is not a perft file: write it as {EXAMPLE}")
    return cases


def cases_are_complete(game: type[Game], cases: list[Case]) -> None:
    """Check that a file has counts from the usual start, and for each choice of an option. Raises ContractError."""
    other = [case.game for case in cases if case.game != game.name]
    expect(not other, f"the perft file is about {other[:1]}, not about {game.name}")
    whole = [case for case in cases if "start" not in case.options and len(case.counts) >= MIN_COUNTS]
    expect(bool(whole), f"the perft file needs a case from the usual start with {MIN_COUNTS} or more counts")
    for option in game.options:
        for choice in option.choices:
            found = any(case.options.get(option.name, option.default) == choice for case in cases)
            expect(found, f"the perft file needs a case with {option.name}={choice}")


def counts_agree(game: type[Game], case: Case, most: int = MAX_QUICK_COUNT) -> None:
    """Compare the counts up to `most` with the rules. Raises ContractError."""
    try:
        instance = game(case.options)
    except GameError as error:
        raise ContractError(f"the perft file has options that the game refuses: {error}") from error
    for depth, count in enumerate(case.counts, 1):
        if count <= most:
            got = perft(instance, instance.start(), depth)
            shown = "".join(f" {name}={value}" for name, value in case.options.items())
            expect(
                got == count,
                f"there are {got} sequences of {depth} moves{f', with{shown}' if shown else ''}, but the perft file "
                f"says {count}: the rules or the file are wrong",
            )
