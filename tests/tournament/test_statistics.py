"""Tests and error bars keep what they promise, in simulations with fixed seeds."""

from __future__ import annotations

from random import Random

import pytest

from client.tournament.model.elo import difference, elo_from_score, expected_score, ratings
from client.tournament.model.plan import Sprt
from client.tournament.model.sprt import evaluate_sprt


def game(rng: Random, elo: float, draws: float = 0.3) -> float:
    score = expected_score(elo)
    draw = draws * 2 * min(score, 1 - score)
    throw = rng.random()
    return 1.0 if throw < score - draw / 2 else 0.5 if throw < score + draw / 2 else 0.0


def pairs(rng: Random, elo: float, count: int, bias: float = 60) -> list[float]:
    """An opening favours one seat, so the games of a pair are not independent of each other."""
    found = []
    for _ in range(count):
        favour = rng.gauss(0, bias)
        found.append(game(rng, elo + favour) + game(rng, elo - favour))
    return found


@pytest.mark.parametrize(("elo0", "elo1", "error"), [(0, 100, 0.05), (-50, 50, 0.1)])
def test_the_sequential_test_errs_as_rarely_as_promised_on_both_sides(elo0: float, elo1: float, error: float) -> None:
    rng, given, runs = Random(7), Sprt(elo0, elo1, error, error), 120
    for truth, wrong in ((elo0, "H1"), (elo1, "H0")):
        found: list[str] = [evaluate_sprt(pairs(rng, truth, 400), given).verdict for _ in range(runs)]
        assert "" not in found
        assert found.count(wrong) / runs <= error + 2.5 * (error * (1 - error) / runs) ** 0.5


def test_the_sequential_test_is_sure_of_what_is_clear_but_not_at_once() -> None:
    won = evaluate_sprt([2.0] * 100, Sprt(0, 100))
    assert (won.verdict, 8 <= won.pairs <= 20) == ("H1", True)
    assert evaluate_sprt([0.0] * 100, Sprt(0, 100)).verdict == "H0"
    assert evaluate_sprt([1.0] * 5, Sprt(0, 100)).verdict == ""
    assert evaluate_sprt([], Sprt()).ratio == 0


@pytest.mark.parametrize("elo", [0, 150])
@pytest.mark.parametrize("count", [10, 60])
def test_the_interval_of_a_difference_covers_the_truth(elo: float, count: int) -> None:
    rng, runs = Random(3), 400
    covered = sum(found.low <= elo <= found.high for found in (difference(pairs(rng, elo, count)) for _ in range(runs)))
    assert 0.915 <= covered / runs <= 0.985


def test_the_likelihood_of_superiority_is_right_as_often_as_it_says() -> None:
    rng = Random(5)
    said = []
    for _ in range(400):
        truth = rng.choice([-20, 20])
        said.append((difference(pairs(rng, truth, 30)).superior, truth > 0))
    sure = [right for superior, right in said if superior > 0.9]
    assert len(sure) > 30
    assert sum(sure) / len(sure) > 0.85
    assert abs(sum(superior for superior, _ in said) / len(said) - 0.5) < 0.06


def test_the_errors_of_a_field_cover_the_truth() -> None:
    rng = Random(5)
    truth = dict(zip("abcdef", (-150, -60, -20, 30, 80, 120), strict=True))
    covered = total = 0
    for _ in range(60):
        games = [(a, b, game(rng, truth[a] - truth[b])) for a in truth for b in truth if a < b for _ in range(10)]
        found = ratings(list(truth), games)
        covered += sum(abs(found[name].elo - truth[name]) <= found[name].error for name in truth)
        total += len(truth)
    assert 0.93 <= covered / total <= 0.995


def test_extremes_stay_finite() -> None:
    assert 150 < difference([2.0] * 20).elo < 1200
    assert difference([2.0] * 20).low > 0
    found = ratings(["a", "b", "c"], [("a", "b", 1.0)] * 50)
    assert found["a"].elo > found["c"].elo > found["b"].elo
    assert abs(sum(rating.elo for rating in found.values())) < 1e-6
    assert ratings(["a", "b"], [])["a"].error > 300
    assert difference([]).superior == 0.5
    assert elo_from_score(expected_score(123)) == pytest.approx(123)
