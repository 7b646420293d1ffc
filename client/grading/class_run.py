"""Grade all submissions of a class: several at once, each by itself. What is known is not graded again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from client.grading.assessment import assess, known_result
from client.grading.course_file import Course
from client.grading.grade import Result, StudentGrade, same_verdict
from client.grading.reviews import read_review, review_submission
from client.grading.submissions import Files, Submission
from client.grading.work_folder import WORK, WorkFolder, submission_key
from client.programs.failure import Failure
from client.programs.jail.choice import JailSettings
from client.sdk.errors import SessionError
from client.tournament.model.errors import TournamentError
from client.tournament.play.game_reviewer import ReviewedGame, ReviewSettings
from client.tournament.play.setup import versions


@dataclass(frozen=True, slots=True)
class Progress:
    """A submission has been graded, or a game of one has ended. `result` is None for a game."""

    names: str
    result: Result | None


OnProgress = Callable[[Progress], None]
OnReviewed = Callable[[str, ReviewedGame], None]


class ClassRun:
    """The submissions of a class and their results. `jobs`: games at the same time."""

    def __init__(self, submissions: list[Submission], course: Course, out: Path, jail: JailSettings, jobs: int) -> None:
        self._submissions, self._course, self._jail, self._jobs = submissions, course, jail, jobs
        self._work = out.resolve() / WORK
        digest, software = course.digest(jail.kind), versions()
        self._keys = {
            submission.student: submission_key(submission.files, digest, software)
            for submission in submissions
            if not submission.problem
        }
        self._results: dict[str, Result] = {}
        for key in set(self._keys.values()):
            known = known_result(self._folder(key))
            if known is not None:
                self._results[key] = known

    def _folder(self, key: str) -> WorkFolder:
        return WorkFolder(self._work / key)

    @property
    def todo(self) -> dict[str, Files]:
        """The submissions without a result, by key. Students with the same files share one."""
        return {
            self._keys[one.student]: one.files
            for one in self._submissions
            if one.student in self._keys and self._keys[one.student] not in self._results
        }

    async def run(self, on_progress: OnProgress) -> None:
        """Grade what is left. If this is cancelled, at most the running games are lost."""
        todo = self.todo
        parallel = max(1, min(self._jobs, len(todo)))
        concurrency = max(1, self._jobs // parallel)
        slots = asyncio.Semaphore(parallel)

        async def grade(key: str, files: Files) -> None:
            async with slots:
                names = self._names(key)
                self._results[key] = await self._grade(
                    files, self._folder(key), concurrency, lambda: on_progress(Progress(names, None))
                )
                on_progress(Progress(names, self._results[key]))

        async with asyncio.TaskGroup() as tasks:
            for key, files in todo.items():
                tasks.create_task(grade(key, files))

    async def _grade(self, files: Files, folder: WorkFolder, concurrency: int, on_game: Callable[[], None]) -> Result:
        try:
            return await assess(files, self._course, folder, self._jail, concurrency, on_game)
        except (TournamentError, SessionError, Failure, OSError) as error:
            return same_verdict(self._course, "open", f"not graded: {error}")

    async def review(self, settings: ReviewSettings, on_reviewed: OnReviewed) -> None:
        """Review the games of all submissions, several at the same time. If this is cancelled, `jobs` games are lost.

        `on_reviewed` gets the names of the students and the reviewed game. Raises TournamentError or OSError.
        """
        slots = asyncio.Semaphore(self._jobs)

        async def review(key: str) -> None:
            names = self._names(key)
            async with slots:
                await review_submission(self._folder(key), settings, lambda game: on_reviewed(names, game))

        try:
            async with asyncio.TaskGroup() as tasks:
                for key in self._results:
                    tasks.create_task(review(key))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None

    def _names(self, key: str) -> str:
        return ", ".join(student.name for student, its in self._keys.items() if its == key)

    def grades(self) -> list[StudentGrade]:
        """Return the grades of all students, in the order of the submissions."""
        found = []
        for submission in self._submissions:
            key = self._keys.get(submission.student, "")
            same = tuple(s.name for s, its in self._keys.items() if its == key and s != submission.student)
            if submission.problem:
                result = same_verdict(self._course, "fail", submission.problem)
            else:
                result = self._results.get(key) or same_verdict(self._course, "open", "not graded yet")
            review = read_review(self._folder(key)) if key else None
            found.append(StudentGrade(submission.student, result, key, same, review))
        return found

    def games_page(self, grade: StudentGrade) -> Path:
        """Return the page with the games of a student. There may be none."""
        return self._folder(grade.key).games_page
