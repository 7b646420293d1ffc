"""Random results of players with a known difference in strength."""

from __future__ import annotations

from random import Random

from client.tournament.model.elo import expected_score


def game(rng: Random, elo: float, draws: float = 0.3) -> float:
    score = expected_score(elo)
    draw = draws * 2 * min(score, 1 - score)
    throw = rng.random()
    return 1.0 if throw < score - draw / 2 else 0.5 if throw < score + draw / 2 else 0.0


def pairs(rng: Random, elo: float, count: int, bias: float = 60) -> list[float]:
    """Return the points of pairs of games.

    An opening favours one seat, so the two games of a pair are not independent.
    """
    found = []
    for _ in range(count):
        bias_of_opening = rng.gauss(0, bias)
        found.append(game(rng, elo + bias_of_opening) + game(rng, elo - bias_of_opening))
    return found
