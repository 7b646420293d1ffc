"""A random order of the tests, which a seed repeats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")


def shuffle(tests: list[T], file_of: Callable[[T], Path], seed: int) -> None:
    """Shuffle the files, and the tests in each. The tests of a file stay together: they share costly fixtures."""
    rng = Random(seed)
    rng.shuffle(tests)
    files = sorted({file_of(test) for test in tests})
    rng.shuffle(files)
    place = {file: number for number, file in enumerate(files)}
    tests.sort(key=lambda test: place[file_of(test)])
