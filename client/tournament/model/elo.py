"""Elo differences out of results, and how sure they are. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erf, exp, isfinite, log, log10, sqrt
from typing import NamedTuple

Z_95 = 1.959964  # standard deviations on both sides of 95 %
PRIOR_DRAW_PAIRS = (
    1.0  # pairs of draws that nobody has played: they keep a difference finite where somebody wins all games
)
ELO_SCALE = log(10) / 400
MAX_SWEEPS, CONVERGED_STEP = 2000, 1e-9


class Difference(NamedTuple):
    """Elo, the ends of its 95 % interval, and the likelihood that the first is the stronger one."""

    elo: float
    low: float
    high: float
    superior: float


class Rating(NamedTuple):
    """Elo above the average of the field, and half of its 95 % interval."""

    elo: float = 0.0
    error: float = 0.0


def expected_score(elo: float) -> float:
    """The score of somebody who is that much stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_from_score(score: float) -> float:
    return -400 * log10(1 / score - 1)


def normal_cdf(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def difference(pairs: Sequence[float]) -> Difference:
    """Of two players, from the points of the first in each pair of games: 0 to 2.

    The games of a pair have the same opening and belong together; it is the pairs that vary independently.
    """
    count = len(pairs) + PRIOR_DRAW_PAIRS
    mean = (sum(pairs) / 2 + PRIOR_DRAW_PAIRS / 2) / count
    spread = sum((points / 2 - mean) ** 2 for points in pairs) + PRIOR_DRAW_PAIRS * (0.5 - mean) ** 2
    error = sqrt(max(spread, 1 / 16) / count / max(1.0, count - 1))
    least = 1 / (4 * count)
    low, middle, high = (min(1 - least, max(least, mean + side * Z_95 * error)) for side in (-1, 0, 1))
    return Difference(
        elo_from_score(middle), elo_from_score(low), elo_from_score(high), normal_cdf((mean - 0.5) / error)
    )


Games = Sequence[tuple[str, str, float]]  # first, second, points of the first
Tallies = list[dict[int, list[float]]]  # for everybody: whom they have met, with points and games


def ratings(players: Sequence[str], games: Games) -> Mapping[str, Rating]:
    """Of a whole field: what makes the results most likely, and how sure that is.

    Everybody also draws once against somebody of average strength, which keeps those finite who win or lose all.
    """
    met = tally_games(players, games)
    strength = maximize_likelihood(met)
    return centre_ratings(players, strength, information_matrix(strength, met))


def strengths(players: Sequence[str], games: Games) -> Mapping[str, float]:
    """The same without the errors, which are what takes long."""
    strength = maximize_likelihood(tally_games(players, games))
    mean = sum(strength) / max(1, len(strength))
    return {name: (value - mean) / ELO_SCALE for name, value in zip(players, strength, strict=True)}


def tally_games(players: Sequence[str], games: Games) -> Tallies:
    index = {name: number for number, name in enumerate(players)}
    met: Tallies = [{} for _ in players]
    for first, second, points in games:
        for own, other, worth in ((index[first], index[second], points), (index[second], index[first], 1 - points)):
            tally = met[own].setdefault(other, [0.0, 0.0])
            tally[0] += worth
            tally[1] += 1
    return met


def maximize_likelihood(met: Tallies) -> list[float]:
    """One after the other moves to where the others make their results most likely, until nobody moves any more."""
    strength = [0.0] * len(met)
    for _ in range(MAX_SWEEPS):
        farthest = 0.0
        for i, others in enumerate(met):
            own = win_probability(strength[i])
            slope, curve = 0.5 - own, own * (1 - own)
            for j, (points, count) in others.items():
                wins = win_probability(strength[i] - strength[j])
                slope += points - count * wins
                curve += count * wins * (1 - wins)
            step = max(-1.0, min(1.0, slope / curve))
            strength[i] += step
            farthest = max(farthest, abs(step))
        if farthest < CONVERGED_STEP:
            break
    return strength


def information_matrix(strength: list[float], met: Tallies) -> list[list[float]]:
    """Of the logarithm of the likelihood: the information that the games hold."""
    size = len(strength)
    found = [[0.0] * size for _ in range(size)]
    for i, others in enumerate(met):
        found[i][i] += win_probability(strength[i]) * (1 - win_probability(strength[i]))
        for j, (_, count) in others.items():
            wins = win_probability(strength[i] - strength[j])
            found[i][i] += count * wins * (1 - wins)
            found[i][j] -= count * wins * (1 - wins)
    return found


def win_probability(difference: float) -> float:
    return 1 / (1 + exp(-max(-500.0, min(500.0, difference))))


def centre_ratings(
    players: Sequence[str], strength: list[float], information: list[list[float]]
) -> Mapping[str, Rating]:
    """As Elo above the average. The error is that of the distance from the average."""
    size = len(players)
    if not size:
        return {}
    variance = solve_linear(information, [[float(i == j) for j in range(size)] for i in range(size)])
    mean = sum(strength) / size
    rows = [sum(row) / size for row in variance]
    total = sum(rows) / size
    found = {}
    for i, name in enumerate(players):
        own = max(0.0, variance[i][i] - 2 * rows[i] + total)
        found[name] = Rating((strength[i] - mean) / ELO_SCALE, Z_95 * sqrt(own) / ELO_SCALE)
    return found


def solve_linear(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    """Gauss and Jordan; the matrix is symmetric and positive, so the diagonal will do."""
    size = len(matrix)
    rows = [[*matrix[i], *right[i]] for i in range(size)]
    for i in range(size):
        pivot = rows[i][i]
        assert pivot > 0
        assert isfinite(pivot)
        rows[i] = [value / pivot for value in rows[i]]
        for j in range(size):
            factor = rows[j][i]
            if j != i and factor:
                rows[j] = [value - factor * other for value, other in zip(rows[j], rows[i], strict=True)]
    return [row[size:] for row in rows]
