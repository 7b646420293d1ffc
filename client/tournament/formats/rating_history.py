"""Ratings round by round. Pure."""

from __future__ import annotations

from client.tournament.formats.standings import Standings, decided_games
from client.tournament.model.elo import strengths
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

MAX_PLOT_POINTS = 40


def ratings_by_round(table: Standings, plan: Plan, results: Results) -> list[tuple[int, dict[str, float]]]:
    """Return the ratings after each round. If there are many rounds, only some are included."""
    games = [game for game in table.schedule.games if game.number in results]
    numbers = sorted({game.round for game in games})
    step = max(1, -(-len(numbers) // MAX_PLOT_POINTS))
    chosen = [*numbers[step - 1 :: step]]
    if numbers and (not chosen or chosen[-1] != numbers[-1]):
        chosen.append(numbers[-1])
    found = []
    for number in chosen:
        known = decided_games((game for game in games if game.round <= number), results)
        found.append((number, dict(strengths(plan.names, known))))
    return found
