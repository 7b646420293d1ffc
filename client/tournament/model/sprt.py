"""The sequential probability ratio test over pairs of games: stop as soon as the results say enough.

Generalised for five outcomes of a pair (0, 1/2, 1, 3/2, 2 points): the likelihood of what happened under each
hypothesis is the largest that any distribution with that expected score can give.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Literal, NamedTuple

from client.tournament.model.elo import expected_score
from client.tournament.model.plan import Sprt

Verdict = Literal["H0", "H1", ""]
OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair, as its share of the points
UNSEEN_OUTCOME_WEIGHT = 1e-3  # what counts for an outcome that has not happened: it may
BISECTION_STEPS = 60


class SprtStatus(NamedTuple):
    """`ratio` is the logarithm; below `lower` H0 is accepted, above `upper` H1. `pairs`: how many it took."""

    verdict: Verdict
    ratio: float
    lower: float
    upper: float
    pairs: int


def evaluate_sprt(pairs: Sequence[float], given: Sprt) -> SprtStatus:
    """Go through the pairs in their order until there is a verdict; what comes after it does not count."""
    lower, upper = log(given.beta / (1 - given.alpha)), log((1 - given.beta) / given.alpha)
    counts, ratio = [0] * len(OUTCOMES), 0.0
    score0, score1 = expected_score(given.elo0), expected_score(given.elo1)
    for number, points in enumerate(pairs, 1):
        counts[round(points * 2)] += 1
        ratio = log_ratio(tuple(counts), score0, score1)
        if not lower < ratio < upper:
            return SprtStatus("H0" if ratio <= lower else "H1", ratio, lower, upper, number)
    return SprtStatus("", ratio, lower, upper, len(pairs))


@lru_cache(maxsize=100_000)  # the same pairs are weighed again with every new one
def log_ratio(counts: tuple[int, ...], score0: float, score1: float) -> float:
    """How much more likely these pairs are with the expected score 1 than with 0, as a logarithm."""
    weights = [max(count, UNSEEN_OUTCOME_WEIGHT) for count in counts]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    first, second = lagrange_multiplier(shares, score0), lagrange_multiplier(shares, score1)
    terms = zip(weights, OUTCOMES, strict=True)
    return sum(
        weight * log((1 + first * (outcome - score0)) / (1 + second * (outcome - score1))) for weight, outcome in terms
    )


def lagrange_multiplier(shares: Sequence[float], score: float) -> float:
    """The multiplier of the likeliest distribution with that expected score: share / (1 + tilt (outcome - score))."""
    low, high = -1 / (1 - score) + 1e-9, 1 / score - 1e-9
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        excess = sum(
            share * (outcome - score) / (1 + middle * (outcome - score))
            for share, outcome in zip(shares, OUTCOMES, strict=True)
        )
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
