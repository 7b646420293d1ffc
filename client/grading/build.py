"""Build a submission in a jail."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from dataclasses import asdict, dataclass
from pathlib import Path

from client.grading.confined_run import run_confined, writable_jail
from client.grading.course_file import Course
from client.grading.submissions import Files
from client.grading.toolchains import Toolchain, Unclear, choose_toolchain
from client.grading.work_folder import WorkFolder
from client.programs.jail.choice import JailSettings
from client.tournament.model.errors import TournamentError

MAX_ERROR_CHARS = 200


@dataclass(frozen=True, slots=True)
class Build:
    """How a build went. `run`: the command of the program. `problem`: why there is none. `output`: of the compiler."""

    toolchain: str
    command: str = ""
    run: str = ""
    problem: str = ""
    output: str = ""


async def build(files: Files, course: Course, folder: WorkFolder, jail: JailSettings) -> Build:
    """Return the build of a submission: the one that is known, or a new one.

    Raises TournamentError if a compiler is missing on this machine.
    """
    known = folder.load("build")
    if known is not None:
        return Build(**known)
    try:
        toolchain = toolchain_of(course, files)
        folder.unpack(files)
    except Unclear as error:
        made = Build(course.toolchain, problem=str(error))
    except OSError as error:
        made = Build(course.toolchain, problem=f"the files cannot be written: {error.strerror or error}")
    else:
        made = await run_build(toolchain, course, folder.program, jail)
    folder.save("build", asdict(made))
    return made


def toolchain_of(course: Course, files: Files) -> Toolchain:
    if course.build_command:
        return Toolchain("command", ("sh", "-c", course.build_command), course.run_command)
    found = choose_toolchain(course.toolchain, files)
    return Toolchain(found.name, found.build, course.run_command or found.run)


async def run_build(toolchain: Toolchain, course: Course, program: Path, jail: JailSettings) -> Build:
    before = executables(program)
    command, output = shlex.join(toolchain.build), ""
    if toolchain.build:
        if shutil.which(toolchain.build[0]) is None:
            raise TournamentError(f"{toolchain.build[0]} is not installed on this machine: install it")
        outcome = await run_confined(
            toolchain.build, program, course.build_limits, writable_jail(jail), course.build_seconds
        )
        output = outcome.text
        if outcome.problem:
            problem = f"the build failed: {first_error(output) or outcome.problem}"
            return Build(toolchain.name, command, problem=problem, output=output)
    if toolchain.run:
        return Build(toolchain.name, command, toolchain.run, output=output)
    made = sorted(executables(program) - before) if toolchain.build else sorted(before)
    if len(made) == 1:
        return Build(toolchain.name, command, f"./{shlex.quote(made[0])}", output=output)
    how = "the build should make exactly one program in the top folder" if toolchain.build else "there should be one"
    problem = f"it is not clear which program to run: {how}, not {len(made)}"
    return Build(toolchain.name, command, problem=problem, output=output)


def first_error(output: str) -> str:
    """Return the first line of a compiler's output that reports an error, or an empty text."""
    return next((line.strip()[:MAX_ERROR_CHARS] for line in output.splitlines() if "error" in line.lower()), "")


def executables(folder: Path) -> set[str]:
    """Return the names of the programs in a folder."""
    with os.scandir(folder) as entries:
        return {
            entry.name
            for entry in entries
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mode & stat.S_IXUSR
        }
