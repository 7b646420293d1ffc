"""Reviews of a submission's games: on its page, in the tables, and in its results for Gradescope."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from client.grading.course_file import STUDENT
from client.grading.export import as_csv, as_text, gradescope, student_page
from client.grading.reviews import read_review, review_submission
from client.grading.work_folder import WorkFolder
from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from client.tournament.model.errors import TournamentError
from client.tournament.play.game_reviewer import ReviewedGame, ReviewSettings
from tests.client.grading.test_export import graded, sample
from tests.tournament.plans import plan
from tests.tournament.reviewed import played_folder

SETTINGS = ReviewSettings(nodes=60, seconds=600, table_mb=1, compiled=False)


async def reviewed_submission(path: Path) -> tuple[WorkFolder, list[ReviewedGame]]:
    """Return the folder of a submission whose games are played and reviewed, and what was reviewed."""
    folder = WorkFolder(path)
    await played_folder(folder.games, plan("match", STUDENT, "random", game="cohcoh", opening_plies=3, games=2))
    assert read_review(folder) is None
    found: list[ReviewedGame] = []
    await review_submission(folder, SETTINGS, found.append)
    return folder, found


async def test_review_of_a_submission(tmp_path: Path) -> None:
    folder, found = await reviewed_submission(tmp_path)
    assert [each.game.number for each in found] == [1, 2]
    review = read_review(folder)
    assert review is not None
    state = Folder(folder.games).state_with_reviews()
    table = standings(Folder(folder.games).plan(), state.results, state.reviews)
    assert (review.accuracy, review.extent) == (table.row(STUDENT).accuracy, (2, 2, 60))
    assert {mistake.player for mistake in review.mistakes} == {STUDENT}
    assert "<h2>Mistakes</h2>" in folder.games_page.read_text()
    await review_submission(folder, SETTINGS, found.append)
    assert len(found) == 2


async def test_review_is_on_page_in_tables_and_for_gradescope(tmp_path: Path) -> None:
    course = sample(tmp_path / "course")
    ben = graded(course, "ben", "pass", "fail", "fail", "fail")
    plain = graded(course, "ann", "pass", "pass", "pass", "pass")
    assert "accuracy" not in as_csv([plain, ben], course).splitlines()[0] + as_text([plain, ben], course)
    assert "Accuracy" not in student_page(plain, course, has_games=True)

    folder, _ = await reviewed_submission(tmp_path / "work")
    review = read_review(folder)
    assert review is not None
    ann = replace(plain, review=review)
    rows = list(csv.DictReader(as_csv([ann, ben], course).splitlines()))
    assert [row["accuracy"] for row in rows] == [f"{review.accuracy:.1f}", ""]
    assert as_text([ann, ben], course).splitlines()[0].split()[:3] == ["student", "points", "accuracy"]
    page, output = student_page(ann, course, has_games=True), gradescope(ann.result, course, review)["output"]
    shown = f"{review.accuracy:.1f} % from 2 games, reviewed with 60 nodes per position"
    assert f"<h2>Accuracy</h2>\n<p>{shown}</p>" in page
    assert f"accuracy: {shown}" in output
    assert "<script" not in page
    assert page.count("<figure>") == len(review.mistakes) > 0
    for mistake in review.mistakes:
        assert f'<a href="games.html#game-{mistake.game}-{mistake.ply}">' in page
        assert f"better: {' '.join(mistake.line)}" in page
        assert mistake.sentence in output


async def test_submission_without_games_has_no_review(tmp_path: Path) -> None:
    await review_submission(WorkFolder(tmp_path), SETTINGS, lambda news: pytest.fail("there are no games"))
    assert read_review(WorkFolder(tmp_path)) is None


async def test_damaged_reviews_are_reported(tmp_path: Path) -> None:
    folder, _ = await reviewed_submission(tmp_path)
    Folder(folder.games).reviews_file.write_text('{"game":1}\n')
    with pytest.raises(TournamentError, match="line 1 is not a review"):
        read_review(folder)
    with pytest.raises(TournamentError, match="line 1 is not a review"):
        await review_submission(folder, SETTINGS, lambda news: None)
