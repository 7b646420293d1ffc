"""Versions of a trail never disturb each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.trail import Trail


@given(
    steps=st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["plus", "first"]), st.integers(0, 9)), max_size=60)
)
def test_every_version_stays_what_it_was(steps: list[tuple[int, str, int]]) -> None:
    versions: list[tuple[Trail[int], tuple[int, ...]]] = [(Trail(), ())]
    for pick, what, number in steps:
        trail, model = versions[pick % len(versions)]
        if what == "plus":
            versions.append((trail.plus(number), (*model, number)))
        else:
            versions.append((trail.first(number), model[:number]))
        for known, expected in versions:
            assert tuple(known) == expected
            assert len(known) == len(expected)
            assert tuple(known.tail(2)) == expected[-2:]
            assert known == Trail(expected)
            if expected:
                assert known.last == known[-1] == expected[-1]
                assert known[0] == expected[0]


def test_what_is_not_there_is_an_error() -> None:
    longer = Trail([1]).plus(2)
    shorter = longer.first(1)
    with pytest.raises(IndexError):
        shorter[1]
    with pytest.raises(IndexError):
        Trail[int]()[-1]
