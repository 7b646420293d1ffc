"""Variants of a test that only `pytest -m long` runs. The other variants always run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def long(*values: Any) -> list[Any]:
    """Return values of one argument as long variants."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def long_cases(*cases: tuple[Any, ...]) -> list[Any]:
    """Return tuples of several arguments as long variants."""
    return [pytest.param(*case, marks=pytest.mark.long) for case in cases]


def first_always(values: Iterable[Any]) -> list[Any]:
    """Return values of one argument: the first as a variant that runs always, the others as long ones."""
    first, *others = values
    return [first, *long(*others)]
