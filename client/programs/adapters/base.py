"""Interface of an adapter, and placeholders in commands."""

from __future__ import annotations

import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from client.programs.failure import Failure
from engine.errors import shorten
from engine.game import Game, Move, State
from engine.registry import create

# {depth}; {{depth}} stands for {depth} itself
PLACEHOLDER = re.compile(r"\{([a-z]+(?:\.\d)?)\}|\{\{([a-z]+(?:\.\d)?)\}\}")
MAX_OUTPUT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ProgramInput:
    """The input of one run: values of the placeholders, files in its folder, text on its standard input."""

    placeholders: Mapping[str, str]
    files: Mapping[str, str]
    stdin: str = ""


class Adapter(ABC):
    """Translates between positions and the formats of an assignment."""

    game: str
    default_args: str = ""  # added to a command without placeholders
    output: str = ""  # the file that the program writes, if it does not print

    @abstractmethod
    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> ProgramInput:
        """Return the input for a position."""

    @abstractmethod
    def read(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the moves of the turn, from the program's files and output. Raises Failure if there are none."""

    @abstractmethod
    def read_leniently(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the moves of an output with mistakes whose board or move is unmistakable. Raises Failure if not."""


def check_placeholders(argv: Sequence[str], adapter: Adapter) -> None:
    """Raise Failure if a command has a placeholder that the adapter does not know."""
    game = create(adapter.game)
    known = adapter.prepare(game, game.start(), 1, 1.0).placeholders
    for match in (match for arg in argv for match in PLACEHOLDER.finditer(arg)):
        if match[1] is not None and match[1] not in known:
            names = " ".join(f"{{{name}}}" for name in known)
            raise Failure(
                "start", f"unknown placeholder {match[0]}: use {names}, or {{{match[0]}}} for the text itself"
            )


def fill(argv: Sequence[str], given: ProgramInput, default_args: str) -> list[str]:
    """Return a command with its placeholders replaced; add the default arguments if it has none."""
    if not any(match[1] for arg in argv for match in PLACEHOLDER.finditer(arg)):
        argv = [*argv, *default_args.split()]
    values = given.placeholders
    return [PLACEHOLDER.sub(lambda match: values[match[1]] if match[1] else f"{{{match[2]}}}", arg) for arg in argv]


def read_output_file(folder: Path, name: str) -> str:
    """Return the first megabyte of the file that the program should have written. Raises Failure without one."""
    try:
        # a link could lead to a file that the program itself cannot read, and opening a pipe would block
        number = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            if stat.S_ISREG(os.fstat(number).st_mode):
                return file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
    except OSError:
        pass
    raise Failure("no_output", f"it wrote no {name}")


def time_placeholders(seconds: float) -> dict[str, str]:
    """Return the values of {seconds}, whole seconds because many programs read an int, and of {seconds.3}."""
    return {"seconds": str(max(1, int(seconds))), "seconds.3": f"{seconds:.3f}"}


def find_move(moves: Mapping[str, Move], board: str) -> Move:
    """Return the move that leads to a board. Raises Failure if none does."""
    if board in moves:
        return moves[board]
    raise Failure("illegal", f"no legal move leads to the board it gave, {shorten(board, 160)!r}")
