"""A program and its settings: command, folder, limits, and where its crash reports go."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from client.programs.crash_report import CrashReport, default_crash_folder
from client.programs.failure import Failure
from client.programs.jail.base import Jail, NoJail
from client.programs.limits import Limits
from client.programs.line_protocol import READY
from client.sdk.bot import Budget
from engine.game import Game, State

INTERPRETER = re.compile(r"(python|pypy|java|node|deno|bun|ruby|perl|php|lua|julia|Rscript|dotnet|sh|bash|zsh)[\d.]*")
FOLDER_FLAGS = ("-cp", "-classpath", "--class-path")  # of Java: the next argument is a folder
MAX_NAME_CHARS = 32
MAX_QUOTED_CHARS = 60
OVERTIME_S = 2.0  # to notice a missed deadline and report it

Protocol = Literal["lines", "ugi"]


@dataclass(frozen=True, slots=True)
class Program:
    """A program and its settings.

    `protocol`: what it speaks. `ready`: it prints a line "ready" when it can play. `events`: it gets lines when games
    start and end. `retries`: how many times per game it may fail and be started again. `depth`: the value of the
    placeholder {depth}. `lenient`: a move that is unmistakable counts, although the output of the program has mistakes.
    """

    argv: tuple[str, ...]
    folder: Path = field(default_factory=Path.cwd)
    limits: Limits = field(default_factory=Limits)
    jail: Jail = field(default_factory=NoJail)
    protocol: Protocol = "lines"
    ready: bool = False
    events: bool = False
    retries: int = 0
    depth: int = 4
    lenient: bool = False
    name: str = ""
    forensics: Path = field(default_factory=default_crash_folder)

    @property
    def greeting(self) -> tuple[bytes, str] | None:
        """What to send to the program when it has started, and the line that it then prints when it can play."""
        if self.protocol == "ugi":
            return b"ugi", "ugiok"
        return (b"", READY) if self.ready else None

    def report(self, failure: Failure, game: Game, state: State, budget: Budget, **evidence: Any) -> None:
        """Save a crash report. `evidence` are the other fields of CrashReport."""
        CrashReport(failure, game, state, budget, self.name, **evidence).save(self.forensics)


def parse_command(command: str, folder: Path) -> tuple[str, ...]:
    """Split a command line and find its program, in the folder or on the PATH. Raises Failure if it is not valid."""
    try:
        argv = shlex.split(command)
    except ValueError as error:
        problem = f"the command {command[:MAX_QUOTED_CHARS]!r} cannot be read: {str(error).lower()}"
        raise Failure("start", problem) from None
    if not argv:
        raise Failure("start", "the command is empty: name a program")
    if not folder.is_dir():
        raise Failure("start", f"there is no folder {folder}: check its name")
    in_folder = folder / argv[0]
    if "/" in argv[0] and shutil.which(in_folder) is not None:
        return (str(in_folder.absolute()), *argv[1:])
    if shutil.which(argv[0]) is None:
        name = argv[0][:MAX_QUOTED_CHARS]
        if in_folder.is_file():
            how = f"make it executable with chmod +x {name}, or write its interpreter before it"
            raise Failure("start", f"the file {name!r} is not executable: {how}")
        raise Failure("start", f"there is no program {name!r}: check its path, or install it")
    return tuple(argv)


def with_absolute_paths(args: Sequence[str]) -> tuple[str, ...]:
    """Return arguments for a program that runs in another folder: names of existing files become absolute."""
    return tuple(str(Path(arg).absolute()) if Path(arg).is_file() else arg for arg in args)


def program_name(argv: Sequence[str]) -> str:
    """Return a name for a program: that of its script, if an interpreter runs one."""
    name = Path(argv[0]).name
    if INTERPRETER.fullmatch(name) and not {"-c", "-e"} & set(argv):
        scripts = (
            arg
            for before, arg in pairwise(argv)
            if not arg.startswith("-") and "{" not in arg and before not in FOLDER_FLAGS
        )
        name = Path(next(scripts, name)).stem
    return name[:MAX_NAME_CHARS]
