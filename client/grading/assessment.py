"""Grade one submission: build it, test it, compare its files, and play its games."""

from __future__ import annotations

from client.grading.build import build
from client.grading.cases import run_cases
from client.grading.course_file import Course
from client.grading.games import OnGame, plan_of, play_games
from client.grading.grade import Result, combine, same_verdict
from client.grading.smoke_test import smoke_test
from client.grading.submissions import Files
from client.grading.work_folder import WorkFolder
from client.programs.jail.choice import JailSettings


def known_result(folder: WorkFolder) -> Result | None:
    """Return the result that an earlier run has found, or None."""
    known = folder.load("result")
    try:
        return None if known is None else Result.read(known)
    except (KeyError, TypeError):
        return None


async def assess(
    files: Files, course: Course, folder: WorkFolder, jail: JailSettings, concurrency: int, on_game: OnGame
) -> Result:
    """Return the result of a submission, and keep it. Steps that an earlier run has completed are not repeated.

    Raises TournamentError or SessionError if this machine cannot grade it.
    """
    result = await find_result(files, course, folder, jail, concurrency, on_game)
    folder.save("result", result.dump())
    return result


async def find_result(
    files: Files, course: Course, folder: WorkFolder, jail: JailSettings, concurrency: int, on_game: OnGame
) -> Result:
    built = await build(files, course, folder, jail)
    if built.problem:
        return same_verdict(course, "fail", built.problem, build=built)
    plan = plan_of(course, built.run, folder.program, jail, concurrency)
    smoke = await smoke_test(course, plan, folder)
    cases = await run_cases(course, built.run, folder, jail)
    played = await play_games(plan, folder, on_game) if course.plan.goals and smoke.legal else None
    return combine(course, built, smoke, cases, played)
