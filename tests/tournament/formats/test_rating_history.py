"""Ratings round by round."""

from __future__ import annotations

from client.tournament.formats.rating_history import ratings_by_round
from client.tournament.formats.standings import standings
from tests.tournament.plans import plan, play, stronger_first


def test_history_of_many_rounds_is_thinned_and_keeps_last_round() -> None:
    given = plan("match", "a", "b", games=400)
    known, results = play(given, stronger_first)
    series = ratings_by_round(standings(given, results), given, results)
    assert len(series) <= 41
    assert series[-1][0] == 200
    assert known.finished(results)
