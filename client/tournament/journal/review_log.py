"""The reviews of a tournament's games: one line of JSON per game. A later line replaces an earlier one.

They have a file of their own, because they do not belong to the results: they can be deleted and made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from client.tournament.journal.log import Entry
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import GameReview, Reviews, digest
from client.tournament.model.results import Results

REVIEWS_FILE = "reviews.jsonl"


def reviewed(game: int, review: GameReview) -> Entry:
    """Return the entry for the review of a game."""
    return {"game": game, **review.dump()}


def read_review(entry: Any) -> tuple[int, GameReview]:
    """Return the number of a game and its review from an entry. Raises ValueError if it is not valid."""
    try:
        number = entry["game"]
        if type(number) is not int or number < 1:
            raise ValueError("a game has no valid number")
        return number, GameReview.read(entry)
    except KeyError as error:
        raise ValueError(f"the field {error.args[0]!r} is missing") from None
    except (TypeError, OverflowError):
        raise ValueError("a field has a wrong type") from None


def reviews_of(entries: Iterable[Entry], path: Path) -> dict[int, GameReview]:
    """Return the reviews of a file. Raises TournamentError if one is not valid."""
    found: dict[int, GameReview] = {}
    for line, entry in enumerate(entries, 1):
        try:
            number, review = read_review(entry)
        except ValueError as error:
            how = "delete the file, and review the games again"
            raise TournamentError(f"{path}: line {line} is not a review: {error}: {how}") from None
        found.pop(number, None)  # so that the latest one is last
        found[number] = review
    return found


def current_reviews(reviews: Reviews, results: Results) -> dict[int, GameReview]:
    """Return the reviews that belong to the records of these results."""
    return {
        number: review
        for number, review in reviews.items()
        if number in results and review.record == digest(results[number].record)
    }
