"""Reviews of the games of a submission: its accuracy, and its worst mistakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client.grading.course_file import STUDENT
from client.grading.games import write_games_page
from client.grading.work_folder import WorkFolder
from client.tournament.export.mistakes import FoundMistake, worst_mistakes
from client.tournament.formats.standings import ReviewExtent, standings
from client.tournament.journal.folder import Folder
from client.tournament.play.game_reviewer import ReviewedGame, ReviewSettings, finished_games, review_games

TABLE_MB = 32  # for each of several reviews at the same time


@dataclass(frozen=True, slots=True)
class SubmissionReview:
    """`accuracy`: None if no move of the submission had an alternative. `mistakes`: the worst ones first."""

    accuracy: float | None
    extent: ReviewExtent
    mistakes: tuple[FoundMistake, ...]


def read_review(folder: WorkFolder) -> SubmissionReview | None:
    """Return what the reviews say of a submission, None if no game is reviewed. Raises TournamentError."""
    tournament = Folder(folder.games)
    if not tournament.reviews_file.exists():
        return None
    plan, state = tournament.plan(), tournament.state_with_reviews()
    table = standings(plan, state.results, state.reviews)
    if table.reviews is None:
        return None
    mistakes = worst_mistakes(table, state).get(STUDENT, [])
    return SubmissionReview(table.row(STUDENT).accuracy, table.reviews, tuple(mistakes))


async def review_submission(
    folder: WorkFolder, settings: ReviewSettings, on_reviewed: Callable[[ReviewedGame], None]
) -> None:
    """Review the games that are not reviewed yet, and show that on their page. Raises TournamentError or OSError."""
    tournament = Folder(folder.games)
    if not tournament.exists or not (games := finished_games(tournament)):
        return
    await review_games(tournament, games, settings, lambda news: None, on_reviewed)
    write_games_page(folder)
