"""Glicko-2: the published example, and properties that hold for all ratings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.domain.glicko2 import MAX_DEVIATION, Rating, after_games, after_rest

ratings = st.builds(Rating, st.floats(0, 3500), st.floats(30, 350), st.floats(0.03, 0.12))


def test_published_example_is_reproduced() -> None:
    opponents = [Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    after = after_games(Rating(1500, 200, 0.06), zip(opponents, (1, 0, 0), strict=True))
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(ratings, ratings)
def test_better_result_gives_a_better_rating(player: Rating, opponent: Rating) -> None:
    lost, drawn, won = (after_games(player, [(opponent, points)]) for points in (0, 0.5, 1))
    assert lost.rating < drawn.rating < won.rating
    assert lost.rating <= player.rating <= won.rating
    assert max(after.deviation for after in (lost, drawn, won)) <= MAX_DEVIATION


@given(ratings, st.floats(-800, 800), st.floats(30, 350), st.sampled_from([0, 0.5, 1]))
def test_scale_is_symmetric(player: Rating, gap: float, deviation: float, points: float) -> None:
    """A win against a stronger player gains what a loss against an equally weaker player costs."""
    up = after_games(player, [(Rating(player.rating + gap, deviation), points)])
    down = after_games(player, [(Rating(player.rating - gap, deviation), 1 - points)])
    assert up.rating - player.rating == pytest.approx(player.rating - down.rating, abs=1e-6)
    assert up.deviation == pytest.approx(down.deviation)


@given(st.floats(0, 3500), st.floats(30, 350))
def test_equal_players_gain_and_lose_the_same(rating: float, deviation: float) -> None:
    player = Rating(rating, deviation)
    won, lost = after_games(player, [(player, 1)]), after_games(player, [(player, 0)])
    assert won.rating - rating == pytest.approx(rating - lost.rating, abs=1e-6)
    assert after_games(player, [(player, 0.5)]).rating == pytest.approx(rating)


@given(ratings, st.floats(0, 2000))
def test_pause_makes_a_rating_less_certain_but_not_worse(player: Rating, days: float) -> None:
    after = after_rest(player, days)
    assert after.rating == player.rating
    assert player.deviation - 1e-9 <= after.deviation <= MAX_DEVIATION
    assert after_rest(player, days + 1).deviation >= after.deviation


def test_opponent_with_a_certain_rating_changes_more() -> None:
    player = Rating()
    certain, uncertain = after_games(player, [(Rating(1500, 40), 1)]), after_games(player, [(Rating(1500, 300), 1)])
    assert certain.rating > uncertain.rating
    assert certain.deviation < uncertain.deviation
