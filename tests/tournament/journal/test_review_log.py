"""The file of reviews: later lines count, reviews of other records do not, and wrong lines are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from client.tournament.journal.review_log import current_reviews, reviewed, reviews_of
from client.tournament.model.errors import TournamentError
from tests.tournament.reviewed import reviewed_match

FILE = Path("reviews.jsonl")


def test_later_review_replaces_an_earlier_one() -> None:
    reviews = reviewed_match()[1].reviews
    better = replace(reviews[1], nodes=10**6)
    entries = [reviewed(1, reviews[1]), reviewed(2, reviews[2]), reviewed(1, better)]
    assert list(reviews_of(entries, FILE).items()) == [(2, reviews[2]), (1, better)]


def test_review_of_another_record_does_not_count() -> None:
    _, state = reviewed_match()
    assert current_reviews(state.reviews, state.results) == state.reviews
    results = {1: replace(state.results[1], record=state.results[1].record + "\n")}
    assert current_reviews(state.reviews, results) == {}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": 0}, "no valid number"),
        ({"game": "1"}, "no valid number"),
        ({"choices": 3}, "wrong type"),
        ({"nodes": -(10**400)}, "wrong value"),
        ({"seconds": 10**400}, "wrong type"),
        ({"mistakes": [{}]}, "'ply' is missing"),
        ({"mistakes": [1]}, "wrong type"),
    ],
)
def test_wrong_line_gives_one_sentence(change: dict[str, Any], sentence: str) -> None:
    entry = reviewed(1, reviewed_match()[1].reviews[1])
    with pytest.raises(TournamentError, match=sentence) as error:
        reviews_of([entry, {**entry, **change}], FILE)
    assert str(error.value).startswith("reviews.jsonl: line 2 is not a review: ")
    assert str(error.value).endswith("delete the file, and review the games again")
