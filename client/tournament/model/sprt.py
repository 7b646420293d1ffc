"""The sequential probability ratio test over pairs of games: stop as soon as the results are conclusive.

This is the pentanomial GSPRT: a pair has five outcomes (0, 1/2, 1, 3/2 or 2 points). The likelihood under a hypothesis
is the largest that any distribution with that expected score can give.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Literal, NamedTuple

from client.tournament.model.elo import expected_score
from client.tournament.model.plan import Sprt

Verdict = Literal["H0", "H1", ""]
OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)  # share of the points in a pair
UNSEEN_OUTCOME_WEIGHT = 1e-3  # weight of an outcome that has not occurred yet
BISECTION_STEPS = 60


class SprtStatus(NamedTuple):
    """The state of a test. H0 is accepted at or below `lower`, H1 at or above `upper`. `pairs`: pairs that count.

    `ratio` is the log-likelihood ratio.
    """

    verdict: Verdict
    ratio: float
    lower: float
    upper: float
    pairs: int


def evaluate_sprt(pairs: Sequence[float], sprt: Sprt) -> SprtStatus:
    """Run the test over the pairs in order. Pairs after the verdict do not count."""
    lower, upper = log(sprt.beta / (1 - sprt.alpha)), log((1 - sprt.beta) / sprt.alpha)
    counts, ratio = [0] * len(OUTCOMES), 0.0
    score0, score1 = expected_score(sprt.elo0), expected_score(sprt.elo1)
    for number, points in enumerate(pairs, 1):
        counts[round(points * 2)] += 1
        ratio = log_ratio(tuple(counts), score0, score1)
        if not lower < ratio < upper:
            return SprtStatus("H0" if ratio <= lower else "H1", ratio, lower, upper, number)
    return SprtStatus("", ratio, lower, upper, len(pairs))


@lru_cache(maxsize=100_000)  # every new pair repeats the test from the start
def log_ratio(counts: tuple[int, ...], score0: float, score1: float) -> float:
    """Return the log-likelihood ratio of `score1` against `score0`."""
    weights = [max(count, UNSEEN_OUTCOME_WEIGHT) for count in counts]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    first, second = lagrange_multiplier(shares, score0), lagrange_multiplier(shares, score1)
    terms = zip(weights, OUTCOMES, strict=True)
    return sum(
        weight * log((1 + first * (outcome - score0)) / (1 + second * (outcome - score1))) for weight, outcome in terms
    )


def lagrange_multiplier(shares: Sequence[float], score: float) -> float:
    """Return the multiplier of the likeliest distribution with this expected score.

    Its probabilities are share / (1 + multiplier * (outcome - score)).
    """
    low, high = -1 / (1 - score) + 1e-9, 1 / score - 1e-9
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        excess = sum(
            share * (outcome - score) / (1 + middle * (outcome - score))
            for share, outcome in zip(shares, OUTCOMES, strict=True)
        )
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
