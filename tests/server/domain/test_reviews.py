"""Who may have a review, and limits of reviews. tests/server/lobby/test_reviews.py has what a reviewer may submit."""

from __future__ import annotations

from typing import Any

import pytest

from protocol.commands import Join, Resign
from protocol.types import ReviewSummary
from server.domain.decision import Refusal
from server.domain.reviews import MAX_PLIES, checked_problem, checked_summary, require_reviewable
from server.domain.room import Room
from tests.server.domain.helpers import ANN, BEN, EVE, do, move, waiting


def ended(**terms: Any) -> Room:
    room = waiting("cohcoh", **terms).room
    room = do(room, BEN, Join, code=room.setup.code).room
    return do(move(room, ANN, "a1").room, BEN, Resign).room


def test_review_of_a_private_game_is_for_its_players_and_its_creator() -> None:
    room = ended(private=True)
    require_reviewable(room, ANN)
    require_reviewable(room, BEN)
    with pytest.raises(Refusal, match="this room was private: only its players and its creator may review it"):
        require_reviewable(room, EVE)
    require_reviewable(ended(), EVE)


def test_game_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_PLIES > 500
    monkeypatch.setattr("server.domain.reviews.MAX_PLIES", 0)
    with pytest.raises(Refusal, match="too long for a review"):
        require_reviewable(ended(), ANN)


def test_summary_is_about_the_game() -> None:
    room = ended()
    summary = ReviewSummary(accuracy=(100.0, None), turning_points=(1,))
    assert checked_summary(summary, room) == summary
    for plies in ((2,), (1,) * 6):
        with pytest.raises(Refusal, match="turning_points"):
            checked_summary(ReviewSummary(accuracy=(1.0, 1.0), turning_points=plies), room)


@pytest.mark.parametrize("text", ["x" * 201, "a\nb", "\x1b[2J"])
def test_problem_is_a_short_text(text: str) -> None:
    with pytest.raises(Refusal, match="printable"):
        checked_problem(text)
