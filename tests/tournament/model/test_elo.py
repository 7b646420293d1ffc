"""Error bars keep what they promise, in simulations with fixed seeds."""

from __future__ import annotations

from random import Random

import pytest

from client.tournament.model.elo import (
    anchored_errors,
    difference,
    elo_from_score,
    expected_score,
    maximize_likelihood,
    ratings,
    tally_games,
)
from tests.tournament.model.samples import game, pairs


@pytest.mark.parametrize("elo", [0, 150])
@pytest.mark.parametrize("count", [10, 60])
def test_interval_of_difference_covers_true_value(elo: float, count: int) -> None:
    rng, runs = Random(3), 400
    covered = sum(found.low <= elo <= found.high for found in (difference(pairs(rng, elo, count)) for _ in range(runs)))
    assert 0.915 <= covered / runs <= 0.985


def test_likelihood_of_superiority_is_calibrated() -> None:
    rng = Random(5)
    likelihoods = []
    for _ in range(400):
        truth = rng.choice([-20, 20])
        likelihoods.append((difference(pairs(rng, truth, 30)).superior, truth > 0))
    sure = [right for superior, right in likelihoods if superior > 0.9]
    assert len(sure) > 30
    assert sum(sure) / len(sure) > 0.85
    assert abs(sum(superior for superior, _ in likelihoods) / len(likelihoods) - 0.5) < 0.06


def test_errors_of_ratings_cover_true_values() -> None:
    rng = Random(5)
    truth = dict(zip("abcdef", (-150, -60, -20, 30, 80, 120), strict=True))
    covered = total = 0
    for _ in range(60):
        games = [(a, b, game(rng, truth[a] - truth[b])) for a in truth for b in truth if a < b for _ in range(10)]
        found = ratings(list(truth), games)
        covered += sum(abs(found[name].elo - truth[name]) <= found[name].error for name in truth)
        total += len(truth)
    assert 0.93 <= covered / total <= 0.995


def test_extreme_results_give_finite_ratings() -> None:
    assert 150 < difference([2.0] * 20).elo < 1200
    assert difference([2.0] * 20).low > 0
    found = ratings(["a", "b", "c"], [("a", "b", 1.0)] * 50)
    assert found["a"].elo > found["c"].elo > found["b"].elo
    assert abs(sum(rating.elo for rating in found.values())) < 1e-6
    assert ratings(["a", "b"], [])["a"].error > 300
    assert difference([]).superior == 0.5
    assert elo_from_score(expected_score(123)) == pytest.approx(123)


def test_errors_with_anchors_are_exact_in_a_small_field_and_near_in_a_large_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tallies = tally_games(["a", "b", "c"], [("a", "b", 1.0), ("a", "b", 0.0), ("b", "c", 0.5)] * 20)
    strength = maximize_likelihood(tallies, {2: 0.3})
    assert strength[2] == 0.3
    exact = anchored_errors(strength, tallies, {2})
    assert exact[2] == 0.0
    assert exact[0] > exact[1] > 0
    monkeypatch.setattr("client.tournament.model.elo.MAX_EXACT_ERRORS", 1)
    near = anchored_errors(strength, tallies, {2})
    assert all(0 < rough <= fine for rough, fine in zip(near[:2], exact[:2], strict=True))


def test_player_without_information_has_a_large_error() -> None:
    assert anchored_errors([400.0, 0.0], [{}, {}], set())[0] > 10_000
