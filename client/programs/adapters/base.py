"""What an adapter does."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from client.programs.failure import Failure
from engine.errors import shorten
from engine.game import Game, Move, State
from engine.registry import create

PLACEHOLDER = re.compile(r"\{([a-z]+)\}|\{\{([a-z]+)\}\}")  # {depth}; {{depth}} is the word itself in braces


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a program needs: files in its folder, words for the placeholders, a text on its input."""

    words: Mapping[str, str]
    files: Mapping[str, str]
    stdin: str = ""


class Adapter(ABC):
    game: str  # what the program plays
    default: str = ""  # what is put behind a command that has no placeholder at all
    output: str = ""  # the file that the program is to write; none if it prints

    @abstractmethod
    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> Run: ...

    @abstractmethod
    def read(self, game: Game, state: State, folder: Path, said: str) -> tuple[Move, ...]:
        """The moves of the turn that the program has made; Failure if it made none."""


def check_placeholders(words: Sequence[str], adapter: Adapter) -> None:
    """Failure names a placeholder of a command that the adapter does not have, before any game depends on it."""
    game = create(adapter.game)
    known = adapter.prepare(game, game.start(), 1, 1.0).words
    for match in (match for word in words for match in PLACEHOLDER.finditer(word)):
        if match[1] is not None and match[1] not in known:
            names = " ".join(f"{{{name}}}" for name in known)
            raise Failure("start", f"there is no {match[0]} here, only {names}; write {{{match[0]}}} to mean just that")


def fill(words: Sequence[str], run: Run, default: str) -> list[str]:
    """A command with its placeholders filled in."""
    if not any(match[1] for word in words for match in PLACEHOLDER.finditer(word)):
        words = [*words, *default.split()]
    return [
        PLACEHOLDER.sub(lambda match: run.words[match[1]] if match[1] else f"{{{match[2]}}}", word) for word in words
    ]


def output_file(folder: Path, name: str) -> str:
    """A file that the program should have written."""
    path = folder / name
    try:
        if path.is_file():  # a pipe by that name would keep us waiting
            with path.open("rb") as file:
                return file.read(1 << 20).decode("utf-8", "replace")
    except OSError:
        pass
    raise Failure("garbage", f"it wrote no {name}")


def one_of(game: Game, state: State, found: Mapping[str, Move], text: str, what: str) -> Move:
    """The move that leads to the text a program gave."""
    if text in found:
        return found[text]
    raise Failure("illegal", f"no legal move leads to the {what} it gave, {shorten(text, 160)!r}")
