"""The sequential test keeps its error rates, in simulations with fixed seeds."""

from __future__ import annotations

from random import Random

import pytest

from client.tournament.model.plan import Sprt
from client.tournament.model.sprt import evaluate_sprt
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
