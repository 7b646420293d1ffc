"""Reviews are kept as JSON. What is read again is what was written, and wrong values are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from client.tournament.model.game_review import GameReview, digest
from engine.record import parse
from engine.review import review
from tests.tournament.reviewed import BUDGET, reviewed_match


def test_review_survives_json() -> None:
    _, state = reviewed_match()
    for number, kept in state.reviews.items():
        assert GameReview.read(json.loads(json.dumps(kept.dump()))) == kept
        assert kept.record == digest(state.results[number].record)
        assert kept.budget == BUDGET


def test_accuracy_is_that_of_the_review() -> None:
    _, state = reviewed_match()
    found = review(parse(state.results[1].record), BUDGET, compiled=False)
    kept = state.reviews[1]
    assert [round(percent, 1) for percent in kept.accuracy] == [found.accuracy(0), found.accuracy(1)]
    assert sum(kept.choices) == sum(not move.forced for move in found.moves)
    assert [mistake.ply for mistake in kept.mistakes] == [move.ply for move in found.moves if move.is_mistake]


WRONG: dict[str, Any] = {
    "record": 7,
    "nodes": -1,
    "seconds": float("nan"),
    "choices": [1],
    "accuracy": [101, 0],
    "mistakes": [{}],
}
WRONG_MISTAKE: dict[str, Any] = {
    "ply": 0,
    "line": [],
    "value": 1e99,
    "value_proved": 1,
    "played": "0",
    "played_proved": None,
    "depth": 0.5,
}


@pytest.mark.parametrize("field", WRONG)
def test_wrong_field_is_refused(field: str) -> None:
    entry = reviewed_match()[1].reviews[1].dump()
    with pytest.raises((ValueError, KeyError, TypeError)):
        GameReview.read({**entry, field: WRONG[field]})
    del entry[field]
    with pytest.raises(KeyError):
        GameReview.read(entry)


@pytest.mark.parametrize("field", WRONG_MISTAKE)
def test_wrong_mistake_is_refused(field: str) -> None:
    entry = reviewed_match()[1].reviews[1].dump()
    entry["mistakes"] = [{**entry["mistakes"][0], field: WRONG_MISTAKE[field]}]
    with pytest.raises(ValueError, match="wrong value"):
        GameReview.read(entry)
