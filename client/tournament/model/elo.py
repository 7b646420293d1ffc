"""Elo differences and ratings from results, with error bars. Pure arithmetic."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import erf, exp, isfinite, log, log10, sqrt
from typing import NamedTuple

Z_95 = 1.959964  # standard deviations of a two-sided 95 % interval
PRIOR_DRAW_PAIRS = 1.0  # imaginary drawn pairs that keep a difference finite when one player wins every game
ELO_SCALE = log(10) / 400
MAX_SWEEPS, CONVERGED_STEP = 2000, 1e-9
MAX_EXACT_ERRORS = 100  # players
MIN_EXACT_INFORMATION, TINY_INFORMATION = 1e-6, 1e-12
NO_ANCHORS: Mapping[int, float] = {}


class Difference(NamedTuple):
    """An Elo difference, its 95 % interval, and the likelihood that the first player is the stronger one."""

    elo: float
    low: float
    high: float
    superior: float


class Rating(NamedTuple):
    """Elo above the average of the field, and half the width of its 95 % interval."""

    elo: float = 0.0
    error: float = 0.0


def expected_score(elo: float) -> float:
    """Return the expected score of a player who is `elo` points stronger than the opponent."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_from_score(score: float) -> float:
    return -400 * log10(1 / score - 1)


def normal_cdf(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def difference(pairs: Sequence[float]) -> Difference:
    """Return the Elo difference of two players from the first player's points in each pair of games (0 to 2).

    The two games of a pair share an opening, so the pairs, not the games, are the independent samples.
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
Tallies = list[dict[int, list[float]]]  # per player: opponent -> [points, games]


def ratings(players: Sequence[str], games: Games) -> Mapping[str, Rating]:
    """Return the maximum-likelihood ratings of a field, with their errors.

    Each player gets one extra draw against an average opponent. This keeps the ratings finite for players who win or
    lose every game.
    """
    tallies = tally_games(players, games)
    strength = maximize_likelihood(tallies)
    return centre_ratings(players, strength, information_matrix(strength, tallies))


def strengths(players: Sequence[str], games: Games) -> Mapping[str, float]:
    """Return the ratings without errors. This is much faster."""
    strength = maximize_likelihood(tally_games(players, games))
    mean = sum(strength) / max(1, len(strength))
    return {name: (value - mean) / ELO_SCALE for name, value in zip(players, strength, strict=True)}


def tally_games(players: Sequence[str], games: Games) -> Tallies:
    index = {name: number for number, name in enumerate(players)}
    tallies: Tallies = [{} for _ in players]
    for first, second, points in games:
        for own, other, worth in ((index[first], index[second], points), (index[second], index[first], 1 - points)):
            tally = tallies[own].setdefault(other, [0.0, 0.0])
            tally[0] += worth
            tally[1] += 1
    return tallies


def maximize_likelihood(
    tallies: Tallies,
    fixed: Mapping[int, float] = NO_ANCHORS,
    begin: Sequence[float] | None = None,
    tolerance: float = CONVERGED_STEP,
) -> list[float]:
    """Return the strengths that make the results most likely, by coordinate-wise Newton steps.

    `fixed`: the strengths of players that are known. `begin`: where to start. `tolerance`: the last step.
    """
    strength = [0.0] * len(tallies) if begin is None else list(begin)
    for i, value in fixed.items():
        strength[i] = value
    for _ in range(MAX_SWEEPS):
        largest_step = 0.0
        for i, opponents in enumerate(tallies):
            if i in fixed:
                continue
            own = win_probability(strength[i])
            slope, curve = 0.5 - own, own * (1 - own)
            for j, (points, count) in opponents.items():
                wins = win_probability(strength[i] - strength[j])
                slope += points - count * wins
                curve += count * wins * (1 - wins)
            step = max(-1.0, min(1.0, slope / curve))
            strength[i] += step
            largest_step = max(largest_step, abs(step))
        if largest_step < tolerance:
            break
    return strength


def information_matrix(strength: list[float], tallies: Tallies) -> list[list[float]]:
    """Return the negative Hessian of the log likelihood."""
    size = len(strength)
    matrix = [[0.0] * size for _ in range(size)]
    for i, opponents in enumerate(tallies):
        matrix[i][i] = own_information(strength, tallies, i)
        for j, (_, count) in opponents.items():
            wins = win_probability(strength[i] - strength[j])
            matrix[i][j] -= count * wins * (1 - wins)
    return matrix


def win_probability(difference: float) -> float:
    return 1 / (1 + exp(-max(-500.0, min(500.0, difference))))


def centre_ratings(
    players: Sequence[str], strength: list[float], information: list[list[float]]
) -> Mapping[str, Rating]:
    """Return Elo above the average of the field. The error is that of the distance from the average."""
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


def anchored_errors(strength: list[float], tallies: Tallies, fixed: Collection[int]) -> list[float]:
    """Return half the width of the 95 % interval of every rating, in Elo; 0 for the players in `fixed`.

    In a large field, and if some player has too little information, opponents count as if their ratings were known.
    Exact errors would take time cubic in the number of players.
    """
    free = [i for i in range(len(strength)) if i not in fixed]
    own = [own_information(strength, tallies, i) for i in free]
    if len(free) > MAX_EXACT_ERRORS or min(own, default=1.0) < MIN_EXACT_INFORMATION:
        variances = [1 / max(information, TINY_INFORMATION) for information in own]
    else:
        full = information_matrix(strength, tallies)
        matrix = [[full[i][j] for j in free] for i in free]
        inverse = solve_linear(matrix, [[float(i == j) for j in free] for i in free])
        variances = [max(0.0, inverse[place][place]) for place in range(len(free))]
    errors = [0.0] * len(strength)
    for i, variance in zip(free, variances, strict=True):
        errors[i] = Z_95 * sqrt(variance) / ELO_SCALE
    return errors


def own_information(strength: list[float], tallies: Tallies, i: int) -> float:
    """Return how much the games of one player say about its strength."""
    found = win_probability(strength[i]) * (1 - win_probability(strength[i]))
    for j, (_, count) in tallies[i].items():
        wins = win_probability(strength[i] - strength[j])
        found += count * wins * (1 - wins)
    return found


def solve_linear(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    """Solve by Gauss-Jordan elimination. No pivoting: the matrix is symmetric and positive definite."""
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
