"""The order of the tests: folders with long files first, or a random order that a seed repeats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")
SLOW_FOLDERS = ("web", "e2e", "nodes", "workers", "tournament", "course", "parlour", "tui")


def slow_first(tests: list[T], file_of: Callable[[T], Path]) -> None:
    """Put the folders with long files first: real programs and screens. Else one file runs alone at the end."""
    place = {folder: number for number, folder in enumerate(SLOW_FOLDERS)}
    here = Path(__file__).parent
    tests.sort(key=lambda test: place.get(file_of(test).relative_to(here).parts[0], len(place)))


def shuffle(tests: list[T], file_of: Callable[[T], Path], seed: int) -> None:
    """Shuffle the files, and the tests in each. The tests of a file stay together: they share costly fixtures."""
    rng = Random(seed)
    rng.shuffle(tests)
    files = sorted({file_of(test) for test in tests})
    rng.shuffle(files)
    place = {file: number for number, file in enumerate(files)}
    tests.sort(key=lambda test: place[file_of(test)])
