"""`parlour grade`: grade the submissions of a class and show the progress."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from client.bots.main import run_until_signal
from client.grading import course_file, export
from client.grading.class_run import ClassRun, Progress
from client.grading.course_file import Course
from client.grading.reviews import TABLE_MB
from client.grading.submissions import Submission, find_submissions
from client.presentation.texts import counted
from client.programs.failure import Failure
from client.programs.jail.choice import JailSettings, choose
from client.programs.limits import Limits
from client.tournament.model.plan import Plan
from client.tournament.play.game_reviewer import ReviewedGame, ReviewSettings
from parlour.cli.house_bots import parse_bot_name
from parlour.cli.search_output import tell
from parlour.errors import UserError
from runtime.file_errors import describe_file_error
from runtime.file_lock import open_locked
from runtime.printable import print_line, print_lines, printable

COURSE_FILE = "course.toml"
CLEAR_LINE = "\r\x1b[K"


def grade(args: Namespace) -> int:
    """Grade, and return the exit code: 1 if a submission could not be graded, 130 if interrupted."""
    course = course_file.load(find_course(args))
    check_yardsticks(course.plan)
    submissions = find_submissions(args.folder)
    if args.check:
        show_submissions(submissions, course)
        return 0
    jail = chosen_jail(args, course)
    out = results_folder(args)
    with locked(out):
        run = ClassRun(submissions, course, out, jail, args.jobs)
        todo = len(run.todo)
        print_line(f"{course.name}: {counted(len(submissions), 'submission')}, {todo} to grade", flush=True)
        asyncio.run(run_until_signal(run.run(ProgressOutput(todo, course).update), with_stdin=False))
        reviewed = bool(run.todo) or review(run, args)
        grades = run.grades()
        export.write_all(grades, course, out, [run.games_page(one) for one in grades])
    print_lines(f"\n{export.as_text(grades, course)}")
    if run.todo or not reviewed:
        print_line("stopped; the same command continues")
        return 130
    print_line(f"written: {out / export.TABLE}, and a page per student in {out / export.STUDENTS}")
    return 0 if all(one.result.graded for one in grades) else 1


def review(run: ClassRun, args: Namespace) -> bool:
    """Review the games if that was asked for. Return False if it was interrupted. Raises UserError."""
    if not (args.review or args.review_nodes):
        return True
    settings = ReviewSettings(args.review_nodes, table_mb=TABLE_MB, notice=tell)
    completed = False

    async def work() -> None:
        nonlocal completed
        await run.review(settings, ReviewOutput().update)
        completed = True

    try:
        asyncio.run(run_until_signal(work(), with_stdin=False))
    except OSError as error:
        raise UserError(f"the reviews cannot be written: {error}") from None
    return completed


class ReviewOutput:
    """Prints a line per submission that is reviewed. On a terminal, a last line counts the games."""

    def __init__(self) -> None:
        self._games = 0
        self._on_screen = sys.stdout.isatty()

    def update(self, names: str, news: ReviewedGame) -> None:
        self._games += 1
        if self._on_screen:
            sys.stdout.write(CLEAR_LINE)
        if news.review is None:
            print_line(f"{names}, game {news.game.number}: not reviewed, {news.problem}", flush=True)
        if news.at == news.total:
            print_line(f"{names}: {counted(news.total, 'game')} reviewed", flush=True)
        elif self._on_screen:
            sys.stdout.write(f"{counted(self._games, 'game')} reviewed")
            sys.stdout.flush()


def find_course(args: Namespace) -> Path:
    if args.course is not None:
        return Path(args.course)
    beside = Path(args.folder).absolute().with_name(COURSE_FILE)
    if not beside.is_file():
        raise UserError(f"there is no {beside}: write one (docs/courses.md), or name it with --course")
    return beside


def results_folder(args: Namespace) -> Path:
    """Return the folder for the results. Raises UserError if it would be taken for a submission."""
    folder = Path(args.folder).absolute()
    out = Path(args.out or folder.with_name(f"{folder.stem if folder.is_file() else folder.name}-grades"))
    if out.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{out} is in the folder of the submissions: choose another folder with --out")
    return out


def check_yardsticks(plan: Plan) -> None:
    for player in plan.players:
        if player.bot:
            spec = parse_bot_name(player.bot)
            spec.check()
            if plan.game not in spec.games:
                raise UserError(f"the yardstick {player.name} does not play {plan.game}: use another one")


def show_submissions(submissions: list[Submission], course: Course) -> None:
    for submission in submissions:
        files = counted(len(submission.files), "file")
        print_line(f"{submission.student.name}: {submission.problem or files}")
    for goal in course.goals:
        print_line(f"goal: {goal.name}, worth {course.worth[goal.name]:g}")
    print_line(f"{counted(len(submissions), 'submission')}, {course.total:g} points; the course file is valid")


def chosen_jail(args: Namespace, course: Course) -> JailSettings:
    """Return the jail that "auto" means here, and print what it prevents. Raises UserError if it does not work."""
    allowed = tuple(path.resolve() for path in args.jail_allow)
    missing = [path for path in allowed if not path.exists()]
    if missing:
        raise UserError(f"--jail-allow: there is no {missing[0]}: check the name")
    settings = JailSettings(args.jail, args.jail_image, allowed, args.jail_cores)
    player = course.student
    try:
        jail = choose(settings)
    except Failure as failure:
        raise UserError(str(failure)) from None
    print_line(jail.enforced(Limits(memory=player.memory, processes=player.processes, disk=player.disk)), flush=True)
    return replace(settings, kind=jail.name)


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """Create the folder of the results and lock it. Raises UserError if another process is grading there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = open_locked(out / "lock")
    except OSError as error:
        raise UserError(describe_file_error("write", out, error)) from None
    if lock is None:
        raise UserError(f"another process is grading into {out}: wait for it, or choose another folder with --out")
    try:
        yield
    finally:
        os.close(lock)


class ProgressOutput:
    """Prints a line per graded submission. On a terminal, a last line counts games and estimates the time."""

    def __init__(self, total: int, course: Course) -> None:
        self._total, self._course = total, course
        self._done = self._games = 0
        self._began = time.monotonic()
        self._on_screen = sys.stdout.isatty()

    def update(self, progress: Progress) -> None:
        if progress.result is None:
            self._games += 1
        else:
            self._done += 1
            result, course = progress.result, self._course
            points = f"{result.points(course):g} of {course.total:g} points" if result.graded else "not graded"
            why = f" ({result.problem})" if result.problem else ""
            start = CLEAR_LINE if self._on_screen else ""
            sys.stdout.write(start)
            print_line(f"[{self._done} of {self._total}] {progress.names}: {points}{why}{self._left()}", flush=True)
        if self._on_screen:
            text = f"{self._done} of {self._total} graded, {counted(self._games, 'game')} played{self._left()}"
            sys.stdout.write(CLEAR_LINE + (printable(text) if self._done < self._total else ""))
            sys.stdout.flush()

    def _left(self) -> str:
        """Return the estimated time to the end, once there is something to estimate it from."""
        if not 0 < self._done < self._total:
            return ""
        seconds = (time.monotonic() - self._began) / self._done * (self._total - self._done)
        left = counted(round(seconds / 60), "minute") if seconds >= 90 else f"{seconds:.0f} s"
        return f"; about {left} left"
