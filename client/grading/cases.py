"""Compare the files that a program writes with expected ones, byte for byte."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from client.grading.confined_run import run_confined, writable_jail
from client.grading.course_file import MAX_CASE_BYTES, Case, Course, MatchGoal
from client.grading.work_folder import WorkFolder
from client.programs.failure import Failure
from client.programs.jail.choice import JailSettings
from client.programs.limits import Limits
from client.programs.program import parse_command
from client.programs.workdir import WorkdirFactory
from runtime.untrusted_files import UnsafeFile, read_stream

MAX_QUOTED_CHARS = 80


async def run_cases(course: Course, run: str, folder: WorkFolder, jail: JailSettings) -> dict[str, dict[str, str]]:
    """Return what is wrong in each case of each goal; an empty text means that it matches.

    Cases that are known are not run again.
    """
    found: dict[str, dict[str, str]] = folder.load("cases") or {}
    for goal in course.goals:
        if not isinstance(goal, MatchGoal):
            continue
        known = found.setdefault(goal.name, {})
        for case in goal.cases:
            if case.name not in known:
                known[case.name] = await run_case(case, goal, course, run, folder.program, jail)
                folder.save("cases", found)
    return found


async def run_case(case: Case, goal: MatchGoal, course: Course, run: str, program: Path, jail: JailSettings) -> str:
    """Run the program in a copy of its folder, and return what is wrong."""
    player = course.student
    limits = Limits(startup=player.startup, memory=player.memory, processes=player.processes, disk=player.disk)
    try:
        argv = [*parse_command(run, program), *shlex.split(case.arguments)]
        with WorkdirFactory(program).folder(lambda: False) as copy:
            argv[0] = str(copy / Path(argv[0]).relative_to(program)) if argv[0].startswith(f"{program}/") else argv[0]
            place_files(case, copy)
            outcome = await run_confined(argv, copy, limits, writable_jail(jail), goal.seconds, case.stdin)
            wrong = compare(case, copy, outcome.stdout)
    except Failure as failure:
        return str(failure)
    return f"{wrong}; {outcome.problem}" if wrong and outcome.problem else wrong


def place_files(case: Case, folder: Path) -> None:
    """Write the files of a case. Whatever has their names, or those of the expected files, is replaced."""
    for name in (*case.files, *case.expected):
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
    for name, data in case.files.items():
        (folder / name).write_bytes(data)


def compare(case: Case, folder: Path, stdout: bytes | None) -> str:
    """Return the first difference, or an empty text."""
    for name, expected in case.expected.items():
        written = read_written(folder / name)
        if written is None:
            return f"it wrote no {name}"
        if written != expected:
            return f"{name} differs {difference(written, expected)}"
    if case.stdout is not None and stdout != case.stdout:
        return "it printed too much" if stdout is None else f"its output differs {difference(stdout, case.stdout)}"
    return ""


def read_written(path: Path) -> bytes | None:
    """Return a file that the program wrote. A link could lead to a file that the program itself cannot read."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return read_stream(file, MAX_CASE_BYTES)
    except UnsafeFile:
        return b""
    except OSError:
        return None


def difference(written: bytes, expected: bytes) -> str:
    """Return where two texts differ first."""
    ours, theirs = expected.splitlines(keepends=True), written.splitlines(keepends=True)
    for number, (want, got) in enumerate(zip(ours, theirs, strict=False), 1):
        if want != got:
            return f"in line {number}: expected {quote(want)}, found {quote(got)}"
    number = min(len(ours), len(theirs)) + 1
    return f"in line {number}: " + (
        "an extra line" if len(theirs) > len(ours) else f"expected {quote(ours[number - 1])}"
    )


def quote(line: bytes) -> str:
    return repr(line.decode("utf-8", "replace")[:MAX_QUOTED_CHARS])
