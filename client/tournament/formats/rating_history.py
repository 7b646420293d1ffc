"""How ratings went from round to round. Pure."""

from __future__ import annotations

from client.tournament.formats.standings import Standings, decided
from client.tournament.model.elo import strengths
from client.tournament.model.plan import Plan
from client.tournament.model.results import Results

MAX_PLOT_POINTS = 40  # points of a line


def ratings_by_round(table: Standings, plan: Plan, results: Results) -> list[tuple[int, dict[str, float]]]:
    """After each round what was known then; of very many rounds only some."""
    games = [game for game in table.schedule.games if game.number in results]
    numbers = sorted({game.round for game in games})
    step = max(1, -(-len(numbers) // MAX_PLOT_POINTS))
    chosen = [*numbers[step - 1 :: step]]
    if numbers and (not chosen or chosen[-1] != numbers[-1]):
        chosen.append(numbers[-1])
    found = []
    for number in chosen:
        known = decided((game for game in games if game.round <= number), results)
        found.append((number, dict(strengths(plan.names, known))))
    return found
