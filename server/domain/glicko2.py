"""The Glicko-2 rating system. Pure.

The steps are those of Mark E. Glickman, "Example of the Glicko-2 system" (2013). Its example is a test.
Each game is a rating period, and so is each day without a game (`after_rest`), which makes a rating less certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log, pi, sqrt
from typing import NamedTuple

GLICKO2_SCALE = 173.7178  # rating points per Glicko-2 unit
INITIAL_RATING = 1500.0
MAX_DEVIATION = 350.0  # of a new player
TAU = 0.5  # limits the change of volatility
PERIOD_MS = 86_400_000  # one day
PROVISIONAL_DEVIATION = 110.0  # ratings with a larger deviation are provisional
VOLATILITY_TOLERANCE = 1e-6


class Rating(NamedTuple):
    """The strength of a player, its uncertainty, and how much it varies."""

    rating: float = INITIAL_RATING
    deviation: float = MAX_DEVIATION
    volatility: float = 0.06


Game = tuple[Rating, float]  # the opponent, and the points: 1, 0.5 or 0


def after_rest(player: Rating, periods: float) -> Rating:
    """Return a rating after some periods without a game (step 6 and the last remark of the paper)."""
    phi = player.deviation / GLICKO2_SCALE
    wider = GLICKO2_SCALE * sqrt(phi * phi + max(0.0, periods) * player.volatility**2)
    return player._replace(deviation=min(MAX_DEVIATION, wider))


def after_games(player: Rating, games: Iterable[Game]) -> Rating:
    """Return a rating after a period with one or more games."""
    mu, phi = (player.rating - INITIAL_RATING) / GLICKO2_SCALE, player.deviation / GLICKO2_SCALE  # step 2
    information = surprise = 0.0
    for opponent, points in games:
        weight = g(opponent.deviation / GLICKO2_SCALE)
        expected = 1 / (1 + exp(-weight * (mu - (opponent.rating - INITIAL_RATING) / GLICKO2_SCALE)))
        information += weight * weight * expected * (1 - expected)
        surprise += weight * (points - expected)
    v = 1 / information  # step 3
    delta = v * surprise  # step 4
    sigma = volatility(phi, v, delta, player.volatility)  # step 5
    before = phi * phi + sigma * sigma  # step 6
    after = 1 / (1 / before + 1 / v)  # step 7
    rating = INITIAL_RATING + GLICKO2_SCALE * (mu + after * surprise)  # step 8
    return Rating(rating, min(MAX_DEVIATION, GLICKO2_SCALE * sqrt(after)), sigma)


def g(phi: float) -> float:
    return 1 / sqrt(1 + 3 * phi * phi / (pi * pi))


def volatility(phi: float, v: float, delta: float, sigma: float) -> float:
    """Return the new volatility (step 5): the root of f, found with the Illinois algorithm."""
    a = log(sigma * sigma)

    def f(x: float) -> float:
        spread = phi * phi + v + exp(x)
        return exp(x) * (delta * delta - spread) / (2 * spread * spread) - (x - a) / (TAU * TAU)

    low, excess = a, delta * delta - phi * phi - v
    high = log(excess) if excess > 0 else a - TAU  # the paper's a - k * TAU: f is positive at k = 1 if TAU < 2
    at_low, at_high = f(low), f(high)
    while abs(high - low) > VOLATILITY_TOLERANCE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)
