"""The tournament of one submission against the yardsticks. It does not depend on any other submission."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from client.grading.course_file import STUDENT, Course
from client.grading.work_folder import WorkFolder, write_file
from client.programs.jail.choice import JailSettings
from client.tournament.export import grades
from client.tournament.export.html import page
from client.tournament.formats.standings import Forfeit, standings
from client.tournament.journal.folder import Folder
from client.tournament.journal.replay import TournamentState
from client.tournament.model.plan import Plan
from client.tournament.play.runner import GameUpdate
from client.tournament.play.setup import ServerAccess, is_finished, open_runner, play
from runtime.untrusted_files import MAX_STATE_BYTES, parse_json, read_beginning, read_file

MAX_FAILURES = 5  # shown on the page of a student
MAX_STDERR_BYTES = 4000

OnGame = Callable[[], None]


@dataclass(frozen=True, slots=True)
class GameFailure:
    """A forfeit of the submission: the game, why, what happened in words, and the last error output."""

    game: int
    reason: str
    what: str
    stderr: str


@dataclass(frozen=True, slots=True)
class GameResults:
    """The verdict and the evidence of each goal, the number of games, and the first failures."""

    grades: Mapping[str, tuple[str, str]]
    games: int
    failures: tuple[GameFailure, ...]


def plan_of(course: Course, run: str, program: Path, jail: JailSettings, concurrency: int) -> Plan:
    """Return the plan of a submission whose command is known."""
    student = replace(course.student, exec=run, workdir=str(program))
    others = [player for player in course.plan.players if player.name != STUDENT]
    return replace(
        course.plan, players=(student, *others), concurrency=concurrency,
        jail=jail.kind, jail_image=jail.image, jail_allow=tuple(map(str, jail.allowed)), jail_cores=jail.cores,
    )  # fmt: skip


async def play_games(plan: Plan, folder: WorkFolder, on_game: OnGame) -> GameResults:
    """Play the games that are still missing, write the page with all of them, and return the results.

    Raises TournamentError or SessionError if the games cannot be played.
    """
    tournament = Folder(folder.games)
    if not tournament.exists:
        tournament.create(plan)
    plan = tournament.plan()
    if not is_finished(plan, tournament.state()):

        def update(news: GameUpdate) -> None:
            if news.kind == "ended":
                on_game()

        async with open_runner(tournament, ServerAccess(), lambda text: None, update) as runner:
            await play(runner)
    write_games_page(folder)
    state = tournament.state()
    table = standings(plan, state.results)
    found = {grade.goal.name: (grade.verdict, grade.evidence) for grade in grades.grades(plan, state)[STUDENT]}
    lost = [forfeit for forfeit in table.forfeits if forfeit.loser == STUDENT]
    failures = tuple(read_failure(folder, forfeit, state) for forfeit in lost[:MAX_FAILURES])
    return GameResults(found, len(state.results), failures)


def write_games_page(folder: WorkFolder) -> None:
    """Write the page with all games, and with their reviews if there are any."""
    tournament = Folder(folder.games)
    plan, state = tournament.plan(), tournament.state_with_reviews()
    write_file(folder.games_page, page(standings(plan, state.results, state.reviews), plan, state, no_link))


def no_link(forfeit: Forfeit) -> str:
    """Return no link: the page is handed out without the evidence, which the student's own page quotes."""
    return ""


def read_failure(folder: WorkFolder, forfeit: Forfeit, state: TournamentState) -> GameFailure:
    """Return a failure with the texts of its crash report, if there is one."""
    report = folder.games / forfeit.evidence
    what = stderr = ""
    try:
        if forfeit.evidence:
            what = str(parse_json(read_file(report / "report.json", MAX_STATE_BYTES))["what"])
            stderr = read_beginning(report / "stderr.txt", MAX_STDERR_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return GameFailure(forfeit.game, forfeit.reason, what or state.results[forfeit.game].reason, stderr)
