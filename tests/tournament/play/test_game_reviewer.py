"""Every game is reviewed once for a budget. What was interrupted goes on with the game that was lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import Result
from client.tournament.play.game_reviewer import (
    ReviewedGame,
    ReviewProgress,
    ReviewSettings,
    finished_games,
    review_games,
)
from tests.tournament.plans import plan
from tests.tournament.reviewed import BUDGET, played_folder

SETTINGS = ReviewSettings(BUDGET.nodes, BUDGET.seconds, table_mb=1, compiled=False)


async def run(folder: Folder, settings: ReviewSettings = SETTINGS) -> list[ReviewedGame]:
    found: list[ReviewedGame] = []
    await review_games(folder, finished_games(folder), settings, lambda news: None, found.append)
    return found


async def match(path: Path) -> Folder:
    return await played_folder(path, plan("match", "ann", "ben", game="cohcoh", opening_plies=6, games=2))


async def test_games_are_reviewed_once(tmp_path: Path) -> None:
    folder = await match(tmp_path / "cup")
    progress: list[ReviewProgress] = []
    found: list[ReviewedGame] = []
    await review_games(folder, finished_games(folder), SETTINGS, progress.append, found.append)
    assert [(each.at, each.total, each.game.number) for each in found] == [(1, 2, 1), (2, 2, 2)]
    assert {(each.at, each.total) for each in progress} == {(1, 2), (2, 2)}
    assert progress[-1].done == progress[-1].moves
    reviews = folder.state_with_reviews().reviews
    assert reviews == {each.game.number: each.review for each in found}
    assert await run(folder) == []
    assert await run(folder, ReviewSettings(compiled=False)) == [], "without a budget, that of the reviews counts"
    again = await run(folder, ReviewSettings(nodes=70, table_mb=1, compiled=False))
    assert [each.review.nodes for each in again if each.review] == [70, 70]
    assert {review.nodes for review in folder.state_with_reviews().reviews.values()} == {70}


async def test_interrupted_review_goes_on(tmp_path: Path) -> None:
    folder = await match(tmp_path / "cup")
    found: list[ReviewedGame] = []

    def stop(news: ReviewedGame) -> None:
        found.append(news)
        task.cancel()

    task = asyncio.create_task(review_games(folder, finished_games(folder), SETTINGS, lambda news: None, stop))
    with pytest.raises(asyncio.CancelledError):
        await task
    with folder.reviews_file.open("ab") as file:
        file.write(b'{"game":2,"rec')  # as a power failure leaves it
    assert list(folder.state_with_reviews().reviews) == [1]
    assert [each.game.number for each in await run(folder)] == [2]
    assert sorted(folder.state_with_reviews().reviews) == [1, 2]


async def test_wrong_record_is_not_reviewed_but_one_without_moves_is(tmp_path: Path) -> None:
    folder = await match(tmp_path / "cup")
    (first, result), second = finished_games(folder)
    header = result.record.partition("\n\n")[0].replace(f"result: {result.result}", "result: *")
    header = header.replace(f"reason: {result.reason}", "reason: absent")
    games = [
        (first, Result(result.result, "absent", record=f"{header}\n\n")),
        (second[0], Result("1-0", "line", record="nonsense")),
    ]
    found: list[ReviewedGame] = []
    await review_games(folder, games, SETTINGS, lambda news: None, found.append)
    assert found[0].review is not None
    assert (found[0].review.choices, found[0].review.mistakes) == ((0, 0), ())
    assert found[1].review is None
    assert "line 1" in found[1].problem


async def test_one_process_reviews(tmp_path: Path) -> None:
    folder = await match(tmp_path / "cup")
    other = Log(folder.reviews_file)
    other.open()
    with pytest.raises(TournamentError, match="is already being reviewed by another process"):
        await run(folder)
    await other.close()
