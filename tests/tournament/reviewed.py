"""Reviewed tournaments, for tests: the search is bounded by few nodes, and runs as plain Python."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from client.tournament.journal import replay as entries
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.replay import TournamentState
from client.tournament.model.game_review import GameReview
from client.tournament.model.plan import Plan
from engine.record import parse
from engine.review import Budget, review
from tests.tournament.plans import plan
from tests.tournament.simulated import simulate

BUDGET = Budget(nodes=60, seconds=600.0)


def review_all(state: TournamentState) -> TournamentState:
    """Return the state with a review of each game."""
    state.reviews = {
        number: GameReview.of(result.record, BUDGET, review(parse(result.record), BUDGET, compiled=False))
        for number, result in state.results.items()
    }
    return state


async def played_folder(path: Path, plan: Plan) -> Folder:
    """Return the folder of a tournament that has been played."""
    folder = Folder(path)
    folder.create(plan)
    log = Log(folder.log_file)
    log.open()
    log.append(entries.tournament(folder.plan_digest()))
    for number, result in simulate(folder.plan()).results.items():
        log.append(entries.ended(number, result))
    await log.close()
    return folder


@lru_cache(1)
def reviewed_match() -> tuple[Plan, TournamentState]:
    """Return two games of which both are reviewed. Do not change them."""
    given = plan("match", "ann", "ben", game="cohcoh", opening_plies=3, games=2)
    return given, review_all(simulate(given))
