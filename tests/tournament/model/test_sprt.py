"""The sequential test keeps its error rates, in simulations with fixed seeds."""

from __future__ import annotations

from random import Random

import pytest

from client.tournament.model.plan import Sprt
from client.tournament.model.sprt import evaluate_sprt, log_ratio
from tests.tournament.model.samples import pairs


@pytest.mark.parametrize(("elo0", "elo1", "error"), [(0, 100, 0.05), (-50, 50, 0.1)])
def test_error_rates_are_kept_on_both_sides(elo0: float, elo1: float, error: float) -> None:
    rng, given, runs = Random(7), Sprt(elo0, elo1, error, error), 120
    for truth, wrong in ((elo0, "H1"), (elo1, "H0")):
        found: list[str] = [evaluate_sprt(pairs(rng, truth, 400), given).verdict for _ in range(runs)]
        assert "" not in found
        assert found.count(wrong) / runs <= error + 2.5 * (error * (1 - error) / runs) ** 0.5


def test_clear_results_need_several_pairs() -> None:
    won = evaluate_sprt([2.0] * 100, Sprt(0, 100))
    assert (won.verdict, 8 <= won.pairs <= 20) == ("H1", True)
    assert evaluate_sprt([0.0] * 100, Sprt(0, 100)).verdict == "H0"
    assert evaluate_sprt([1.0] * 5, Sprt(0, 100)).verdict == ""
    assert evaluate_sprt([], Sprt()).ratio == 0


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "published"),
    [
        ((379, 10170, 21828, 10640, 343), 0, 2, 2.946),
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.25),
        ((61, 444, 1044, 536, 87), 0, 5, 3.00),
        ((69, 1270, 2683, 1383, 89), 0, 5, 2.89),
        ((64, 2222, 4755, 2363, 82), 0, 5, 2.92),
        ((5, 412, 999, 522, 8), 0, 5, 2.91),
        ((793, 6744, 12551, 6978, 850), 0, 3, 2.90),
        ((133, 530, 962, 591, 162), 0, 10, 2.96),
        ((70, 988, 2296, 1106, 72), -3, 1, 2.89),
        ((72, 10, 0, 0, 0), -1000, -500, -2.97),
    ],
)
def test_normalized_model_agrees_with_published_results(
    counts: tuple[int, ...], elo0: float, elo1: float, published: float
) -> None:
    """The counts and ratios are from public reports of other programs."""
    assert log_ratio(counts, elo0, elo1, "normalized") == pytest.approx(published, abs=0.01)


def test_models_differ_when_many_games_are_drawn() -> None:
    drawn = (0, 10, 1000, 30, 0)
    assert log_ratio(drawn, 0, 5, "normalized") < log_ratio(drawn, 0, 5, "logistic")
    assert evaluate_sprt([2.0, 1.0] * 100, Sprt(0, 100, model="normalized")).verdict == "H1"
