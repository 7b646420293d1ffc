"""Glicko-2: the published example, and what must be so whoever plays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.domain.glicko2 import MOST_DEVIATION, Rating, rated, rested

ratings = st.builds(Rating, st.floats(0, 3500), st.floats(30, 350), st.floats(0.03, 0.12))


def test_the_published_example() -> None:
    opponents = [Rating(1400, 30), Rating(1550, 100), Rating(1700, 300)]
    after = rated(Rating(1500, 200, 0.06), zip(opponents, (1, 0, 0), strict=True))
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(ratings, ratings)
def test_better_results_make_better_ratings(player: Rating, opponent: Rating) -> None:
    lost, drawn, won = (rated(player, [(opponent, points)]) for points in (0, 0.5, 1))
    assert lost.rating < drawn.rating < won.rating
    assert lost.rating <= player.rating <= won.rating
    assert max(after.deviation for after in (lost, drawn, won)) <= MOST_DEVIATION


@given(ratings, st.floats(-800, 800), st.floats(30, 350), st.sampled_from([0, 0.5, 1]))
def test_the_scale_has_a_mirror(player: Rating, gap: float, deviation: float, points: float) -> None:
    """What a win gains against somebody stronger, a loss costs against somebody as much weaker."""
    up = rated(player, [(Rating(player.rating + gap, deviation), points)])
    down = rated(player, [(Rating(player.rating - gap, deviation), 1 - points)])
    assert up.rating - player.rating == pytest.approx(player.rating - down.rating, abs=1e-6)
    assert up.deviation == pytest.approx(down.deviation)


@given(st.floats(0, 3500), st.floats(30, 350))
def test_equals_exchange_what_is_at_stake(rating: float, deviation: float) -> None:
    player = Rating(rating, deviation)
    won, lost = rated(player, [(player, 1)]), rated(player, [(player, 0)])
    assert won.rating - rating == pytest.approx(rating - lost.rating, abs=1e-6)
    assert rated(player, [(player, 0.5)]).rating == pytest.approx(rating)


@given(ratings, st.floats(0, 2000))
def test_who_stays_away_becomes_less_certain_and_no_worse(player: Rating, days: float) -> None:
    after = rested(player, days)
    assert after.rating == player.rating
    assert player.deviation - 1e-9 <= after.deviation <= MOST_DEVIATION
    assert rested(player, days + 1).deviation >= after.deviation


def test_a_surer_opponent_teaches_more() -> None:
    player = Rating()
    sure, unsure = rated(player, [(Rating(1500, 40), 1)]), rated(player, [(Rating(1500, 300), 1)])
    assert sure.rating > unsure.rating
    assert sure.deviation < unsure.deviation
