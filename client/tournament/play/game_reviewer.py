"""Review the finished games of a tournament, one after another. Each review is on disk before the next one begins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.journal.review_log import current_reviews, reviewed, reviews_of
from client.tournament.model.game_review import DEFAULT_BUDGET, GameReview, Reviews
from client.tournament.model.results import Pairing, Result
from engine.errors import GameError
from engine.record import parse
from engine.review import Budget, NothingToReview, Review, review
from engine.review.values import TABLE_MB
from engine.search.kernel import Notice
from engine.search.limits import ignore
from runtime.threads import in_thread


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """How to review. `nodes`, `seconds`: None for those of the latest review; the other fields are of engine.review."""

    nodes: int | None = None
    seconds: float | None = None
    table_mb: float = TABLE_MB
    compiled: bool | None = None
    threads: int = 1
    notice: Notice = ignore

    def budget(self, reviews: Reviews) -> Budget:
        """Return the budget for all games, given the reviews so far."""
        latest = [review.budget for review in reviews.values()][-1:]
        usual = latest[0] if latest else DEFAULT_BUDGET
        return Budget(self.nodes or usual.nodes, self.seconds or usual.seconds)


class ReviewProgress(NamedTuple):
    """Game number `at` of `total` games is being reviewed; `done` of its `moves` are."""

    at: int
    total: int
    done: int
    moves: int


class ReviewedGame(NamedTuple):
    """A game that was reviewed, or why it could not be."""

    at: int
    total: int
    game: Pairing
    review: GameReview | None
    problem: str


OnProgress = Callable[[ReviewProgress], None]
OnReviewed = Callable[[ReviewedGame], None]


def finished_games(folder: Folder) -> list[tuple[Pairing, Result]]:
    """Return the games of the schedule that have a result."""
    plan, state = folder.plan(), folder.state()
    games = standings(plan, state.results).schedule.games
    return [(game, state.results[game.number]) for game in games if game.number in state.results]


async def review_games(
    folder: Folder,
    games: Sequence[tuple[Pairing, Result]],
    settings: ReviewSettings,
    on_progress: OnProgress,
    on_reviewed: OnReviewed,
) -> None:
    """Review the games that have no review with the same budget. If this is cancelled, one review at most is lost.

    `on_progress` is called in a thread. Raises TournamentError or OSError if the file of reviews cannot be used.
    """
    log = Log(folder.reviews_file, work="reviewed")
    try:
        known = reviews_of(log.open(), folder.reviews_file)
        known = current_reviews(known, {game.number: result for game, result in games})
        budget = settings.budget(known)
        left = [(game, result) for game, result in games if is_missing(known.get(game.number), budget)]
        for at, (game, result) in enumerate(left, 1):
            found = await review_record(result.record, budget, settings, partial(tell, on_progress, at, len(left)))
            if isinstance(found, GameReview):
                await log.append_durably(reviewed(game.number, found))
                on_reviewed(ReviewedGame(at, len(left), game, found, ""))
            else:
                on_reviewed(ReviewedGame(at, len(left), game, None, found))
    finally:
        await log.close()


def is_missing(review: GameReview | None, budget: Budget) -> bool:
    return review is None or review.budget != budget


def tell(on_progress: OnProgress, at: int, total: int, done: int, moves: int) -> None:
    on_progress(ReviewProgress(at, total, done, moves))


async def review_record(
    text: str, budget: Budget, settings: ReviewSettings, progress: Callable[[int, int], None]
) -> GameReview | str:
    """Return the review of a record, or why there is none. The search ends if this is cancelled."""
    cancel = threading.Event()

    def work() -> GameReview | str:
        try:
            found = review(
                parse(text), budget, progress, cancel, settings.table_mb, settings.compiled, settings.notice,
                settings.threads,
            )  # fmt: skip
        except NothingToReview:
            found = Review(())
        except GameError as error:
            return str(error)
        return GameReview.of(text, budget, found)

    searching = in_thread(work)
    try:
        return await searching
    finally:
        cancel.set()
