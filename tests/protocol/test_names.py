"""Names that look alike are one name, and what cannot be seen is none."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.names import fold, readable


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José", "JOSÉ"),
        ("José", unicodedata.normalize("NFD", "josé")),
        ("Straße", "STRASSE"),
        ("ann", "\uff21\uff4e\uff4e"),  # wide
        ("file", "\ufb01le"),  # a ligature
    ],
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text())
def test_to_fold_twice_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    "name", ["ann", "José", unicodedata.normalize("NFD", "José"), "Zoë 2", "नमस्ते", "שָׁלוֹם", "李", "🙂"]
)
def test_names_that_can_be_read(name: str) -> None:
    assert readable(name)


@pytest.mark.parametrize(
    "name",
    [
        "", " ", " ann", "ann ", "a\nb", "\u3164", "ann\u3164", "\u2800", "ann\u200b", "ann\ufe0f", "\u0301ann",
        "a" + "\u0301" * 20, "a\u20dd", "ann\u034f", "\u115f", "ann\u00ad",
    ],
)  # fmt: skip
def test_names_that_cannot_be_read(name: str) -> None:
    assert not readable(name)
