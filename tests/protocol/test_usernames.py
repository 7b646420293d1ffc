"""Names that look alike fold to the same key; invisible and misleading names are found."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.usernames import fold, is_readable, mixed_alphabets


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
def test_names_that_look_alike_fold_to_the_same_key(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text())
def test_folding_twice_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    "name", ["ann", "José", unicodedata.normalize("NFD", "José"), "Zoë 2", "नमस्ते", "שָׁלוֹם", "李", "🙂"]
)
def test_visible_names_are_readable(name: str) -> None:
    assert is_readable(name)


@pytest.mark.parametrize(
    "name",
    [
        "", " ", " ann", "ann ", "a\nb", "\u3164", "ann\u3164", "\u2800", "ann\u200b", "ann\ufe0f", "\u0301ann",
        "a" + "\u0301" * 20, "a\u20dd", "ann\u034f", "\u115f", "ann\u00ad",
        "ann\U0001d159", "ann\U00016fe4", "ann\ufffc", "ann\u17b4",
    ],
)  # fmt: skip
def test_invisible_names_are_not_readable(name: str) -> None:
    assert not is_readable(name)


@pytest.mark.parametrize(
    ("name", "mixed"),
    [
        ("St\u0430ff", ["Latin", "Cyrillic"]),
        ("\u03a4om", ["Latin", "Greek"]),
        ("\uff33t\u0430ff", ["Latin", "Cyrillic"]),  # the first one is wide
        ("\u0405\u0585", ["Cyrillic", "Armenian"]),
    ],
)
def test_words_that_mix_similar_alphabets_are_found(name: str, mixed: list[str]) -> None:
    assert mixed_alphabets(name) == mixed


@pytest.mark.parametrize(
    "name",
    [
        "Ann-2 (José)",
        "Сеня 2",
        "Ελένη",
        "東京Tower",
        "カナ and かな",
        "김Kim",
        "नमस्ते x",
        "שלום ann",
        "✝ 🙂 5",
        "Алекс-bot",
        "Алекс~k3f",
    ],
)
def test_words_in_one_alphabet_or_dissimilar_ones_are_fine(name: str) -> None:
    assert len(mixed_alphabets(name)) < 2
