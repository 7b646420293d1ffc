"""Elo differences out of results, and how sure they are. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erf, exp, isfinite, log, log10, sqrt
from typing import NamedTuple

SURE = 1.959964  # standard deviations on both sides of 95 %
PRIOR = 1.0  # pairs of draws that nobody has played: they keep a difference finite where somebody wins all games
SCALE = log(10) / 400
SWEEPS, STILL = 2000, 1e-9


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


def expected(elo: float) -> float:
    """The score of somebody who is that much stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    return -400 * log10(1 / score - 1)


def normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def difference(pairs: Sequence[float]) -> Difference:
    """Of two players, from the points of the first in each pair of games: 0 to 2.

    The games of a pair have the same opening and belong together; it is the pairs that vary independently.
    """
    count = len(pairs) + PRIOR
    mean = (sum(pairs) / 2 + PRIOR / 2) / count
    spread = sum((points / 2 - mean) ** 2 for points in pairs) + PRIOR * (0.5 - mean) ** 2
    error = sqrt(max(spread, 1 / 16) / count / max(1.0, count - 1))
    least = 1 / (4 * count)
    low, middle, high = (min(1 - least, max(least, mean + side * SURE * error)) for side in (-1, 0, 1))
    return Difference(elo_of(middle), elo_of(low), elo_of(high), normal((mean - 0.5) / error))


Games = Sequence[tuple[str, str, float]]  # first, second, points of the first
Met = list[dict[int, list[float]]]  # for everybody: whom they have met, with points and games


def ratings(players: Sequence[str], games: Games) -> Mapping[str, Rating]:
    """Of a whole field: what makes the results most likely, and how sure that is.

    Everybody also draws once against somebody of average strength, which keeps those finite who win or lose all.
    """
    met = meetings(players, games)
    strength = likeliest(met)
    return centred(players, strength, curvature(strength, met))


def strengths(players: Sequence[str], games: Games) -> Mapping[str, float]:
    """The same without the errors, which are what takes long."""
    strength = likeliest(meetings(players, games))
    mean = sum(strength) / max(1, len(strength))
    return {name: (value - mean) / SCALE for name, value in zip(players, strength, strict=True)}


def meetings(players: Sequence[str], games: Games) -> Met:
    index = {name: number for number, name in enumerate(players)}
    met: Met = [{} for _ in players]
    for first, second, points in games:
        for own, other, worth in ((index[first], index[second], points), (index[second], index[first], 1 - points)):
            tally = met[own].setdefault(other, [0.0, 0.0])
            tally[0] += worth
            tally[1] += 1
    return met


def likeliest(met: Met) -> list[float]:
    """One after the other moves to where the others make their results most likely, until nobody moves any more."""
    strength = [0.0] * len(met)
    for _ in range(SWEEPS):
        farthest = 0.0
        for i, others in enumerate(met):
            own = chance(strength[i])
            slope, curve = 0.5 - own, own * (1 - own)
            for j, (points, count) in others.items():
                wins = chance(strength[i] - strength[j])
                slope += points - count * wins
                curve += count * wins * (1 - wins)
            step = max(-1.0, min(1.0, slope / curve))
            strength[i] += step
            farthest = max(farthest, abs(step))
        if farthest < STILL:
            break
    return strength


def curvature(strength: list[float], met: Met) -> list[list[float]]:
    """Of the logarithm of the likelihood: the information that the games hold."""
    size = len(strength)
    found = [[0.0] * size for _ in range(size)]
    for i, others in enumerate(met):
        found[i][i] += chance(strength[i]) * (1 - chance(strength[i]))
        for j, (_, count) in others.items():
            wins = chance(strength[i] - strength[j])
            found[i][i] += count * wins * (1 - wins)
            found[i][j] -= count * wins * (1 - wins)
    return found


def chance(difference: float) -> float:
    return 1 / (1 + exp(-max(-500.0, min(500.0, difference))))


def centred(players: Sequence[str], strength: list[float], information: list[list[float]]) -> Mapping[str, Rating]:
    """As Elo above the average. The error is that of the distance from the average."""
    size = len(players)
    if not size:
        return {}
    variance = solve(information, [[float(i == j) for j in range(size)] for i in range(size)])
    mean = sum(strength) / size
    rows = [sum(row) / size for row in variance]
    total = sum(rows) / size
    found = {}
    for i, name in enumerate(players):
        own = max(0.0, variance[i][i] - 2 * rows[i] + total)
        found[name] = Rating((strength[i] - mean) / SCALE, SURE * sqrt(own) / SCALE)
    return found


def solve(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
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
