"""A program as somebody wants it to play: its words, its folder, its limits, and what happens when it fails."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from client.programs.crash_report import Case, default_folder, keep
from client.programs.failure import Failure
from client.programs.limits import Limits
from client.sdk.bot import Budget
from engine.game import Game, State

INTERPRETER = re.compile(r"(python|pypy|java|node|deno|bun|ruby|perl|php|lua|julia|Rscript|dotnet|sh|bash|zsh)[\d.]*")
FOLDERS = ("-cp", "-classpath", "--class-path")  # flags of Java; a word behind them is no program
LONGEST = 32  # characters of a name
OVERTIME = 2.0  # seconds to notice a deadline, and to say how it was missed


@dataclass(frozen=True, slots=True)
class Program:
    """`ready`: it says a line "ready" when it can play. `events`: it is told of starts and ends, without an answer.

    `retries`: how often in one game it may fail, be started anew and be asked again. `depth`: what {depth} stands for.
    """

    words: tuple[str, ...]
    folder: Path = field(default_factory=Path.cwd)
    limits: Limits = field(default_factory=Limits)
    ready: bool = False
    events: bool = False
    retries: int = 0
    depth: int = 4
    name: str = ""
    forensics: Path = field(default_factory=default_folder)

    def keep(self, failure: Failure, game: Game, state: State, budget: Budget, **evidence: Any) -> None:
        """Keep the evidence of a failure: the other fields of a Case."""
        keep(Case(failure, game, state, budget, self.name, **evidence), self.forensics)


def split(command: str, folder: Path) -> tuple[str, ...]:
    """The words of a command line, its program found; Failure says in a sentence what is wrong."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Failure("start", f"the command {command[:60]!r} cannot be read: {str(error).lower()}") from None
    if not words:
        raise Failure("start", "the command is empty")
    if not folder.is_dir():
        raise Failure("start", f"there is no folder {folder}")
    beside = folder / words[0]
    if "/" in words[0] and shutil.which(beside) is not None:
        return (str(beside.absolute()), *words[1:])
    if shutil.which(words[0]) is None:
        raise Failure("start", f"there is no program {words[0][:60]!r} that could be run")
    return tuple(words)


def from_anywhere(words: Sequence[str]) -> tuple[str, ...]:
    """The words for a program that runs in another folder: files of this one are named so that they are found."""
    return tuple(str(Path(word).absolute()) if Path(word).is_file() else word for word in words)


def name_of(words: Sequence[str]) -> str:
    """What a program is called: its script, where it has one, and not what runs it."""
    name = Path(words[0]).name
    if INTERPRETER.fullmatch(name) and not {"-c", "-e"} & set(words):
        scripts = (
            word
            for before, word in pairwise(words)
            if not word.startswith("-") and "{" not in word and before not in FOLDERS
        )
        name = Path(next(scripts, name)).stem
    return name[:LONGEST]
