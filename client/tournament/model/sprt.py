"""The sequential probability ratio test over pairs of games: stop as soon as the results are conclusive.

This is the pentanomial GSPRT: a pair has five outcomes (0, 1/2, 1, 3/2 or 2 points). The likelihood under a hypothesis
is the largest that any distribution can give which agrees with it. What a hypothesis fixes depends on the model:

- logistic: the expected score of the first player.
- normalized: its distance from 1/2 in standard deviations. So the bounds mean the same effort for all games, however
  many of them are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Literal, NamedTuple

from client.tournament.model.elo import ELO_SCALE, expected_score
from client.tournament.model.plan import Sprt, SprtModel

Verdict = Literal["H0", "H1", ""]
OUTCOMES = (0.0, 0.25, 0.5, 0.75, 1.0)  # share of the points in a pair
UNSEEN_OUTCOME_WEIGHT = 1e-3  # weight of an outcome that has not occurred yet
BISECTION_STEPS = 60
MAX_APPROXIMATIONS, CONVERGED_SHARE = 200, 1e-9
GAMES_PER_PAIR = 2
WITHIN_BOUND, FAR_BOUND = 1 - 1e-9, 1e9


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
    for number, points in enumerate(pairs, 1):
        counts[round(points * 2)] += 1
        ratio = log_ratio(tuple(counts), sprt.elo0, sprt.elo1, sprt.model)
        if not lower < ratio < upper:
            return SprtStatus("H0" if ratio <= lower else "H1", ratio, lower, upper, number)
    return SprtStatus("", ratio, lower, upper, len(pairs))


@lru_cache(maxsize=100_000)  # every new pair repeats the test from the start
def log_ratio(counts: tuple[int, ...], elo0: float, elo1: float, model: SprtModel) -> float:
    """Return the log-likelihood ratio of `elo1` against `elo0`."""
    weights = [max(count, UNSEEN_OUTCOME_WEIGHT) for count in counts]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    with_elo = with_normalized_elo if model == "normalized" else with_logistic_elo
    terms = zip(weights, with_elo(shares, elo0), with_elo(shares, elo1), strict=True)
    return sum(weight * log(second / first) for weight, first, second in terms)


def with_logistic_elo(shares: Sequence[float], elo: float) -> list[float]:
    """Return the likeliest distribution whose expected score is that of a player who is `elo` points stronger."""
    score = expected_score(elo)
    return likeliest(shares, [outcome - score for outcome in OUTCOMES])


def with_normalized_elo(shares: Sequence[float], elo: float) -> list[float]:
    """Return the likeliest distribution whose expected score is `elo` normalized points above 1/2.

    A normalized point is the same part of a game's standard deviation as a logistic point of a score near 1/2. The
    condition contains the distribution's own mean and deviation. So it is linearized at the last approximation, until
    that does not change any more.
    """
    deviations = elo * ELO_SCALE / 2 * sqrt(GAMES_PER_PAIR)
    found = likeliest(shares, [outcome - 0.5 for outcome in OUTCOMES])
    for _ in range(MAX_APPROXIMATIONS):
        mean = sum(share * outcome for share, outcome in zip(found, OUTCOMES, strict=True))
        deviation = sqrt(sum(share * (outcome - mean) ** 2 for share, outcome in zip(found, OUTCOMES, strict=True)))
        excess = [
            outcome - 0.5 - deviations * deviation * (1 + ((outcome - mean) / deviation) ** 2) / 2
            for outcome in OUTCOMES
        ]
        last, found = found, likeliest(shares, excess)
        if max(abs(new - old) for new, old in zip(found, last, strict=True)) < CONVERGED_SHARE:
            break
    return found


def likeliest(shares: Sequence[float], excess: Sequence[float]) -> list[float]:
    """Return the distribution, likeliest for the observed shares, in which `excess` is 0 on average.

    Its probabilities are share / (1 + multiplier * excess) with a Lagrange multiplier.
    """
    # at the bounds a probability would be infinite; an approximation may have no outcome on one side of 0
    low = -WITHIN_BOUND / max(excess) if max(excess) > 0 else -FAR_BOUND
    high = -WITHIN_BOUND / min(excess) if min(excess) < 0 else FAR_BOUND
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        average = sum(share * value / (1 + middle * value) for share, value in zip(shares, excess, strict=True))
        low, high = (middle, high) if average > 0 else (low, middle)
    multiplier = (low + high) / 2
    return [share / (1 + multiplier * value) for share, value in zip(shares, excess, strict=True)]
