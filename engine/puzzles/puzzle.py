"""A puzzle, and files of puzzles: one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from engine.errors import GameError, shorten
from engine.game import Game, State
from engine.options import OptionValue
from engine.registry import create
from engine.review.judgement import counts_points

FORMAT = "parlour puzzles 1"
MAX_LEVEL = 10
MAX_PLIES = 99


class InvalidPuzzles(GameError):
    """The text is not a file of puzzles. The message names the line."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position and the only move that keeps its value.

    `value` is for the side to move. `plies`: in games whose positions can repeat, the move wins within this many plies,
    and no other move does; None in other games, where every other move is worth less. `level`: the lowest level of
    the search that finds the move.
    """

    game: str
    position: str
    move: str
    value: int
    level: int
    plies: int | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    def create(self) -> Game:
        """Return the game, with the position of the puzzle as its start. Raises GameError."""
        return create(self.game, {**self.options, "start": self.position})

    def state(self) -> State:
        return self.create().start()

    def goal(self, game: Game) -> str:
        """Return what the move of the puzzle does, after "One move"."""
        if self.plies is not None:
            moves = (self.plies + 1) // 2  # of the side to move
            return f"wins within {moves} moves, whatever the opponent plays" if moves > 1 else "wins at once"
        if counts_points(game):
            return f"keeps the best result, {self.value:+d} {game.point_name}s"
        return "wins" if self.value > 0 else "draws"

    def to_json(self) -> dict[str, Any]:
        found = {"position": self.position, "move": self.move, "value": self.value, "level": self.level}
        return {"game": self.game, "options": dict(self.options), **found, "plies": self.plies}


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    lines = [json.dumps({"format": FORMAT}), *(json.dumps(puzzle.to_json()) for puzzle in puzzles)]
    return "\n".join(lines) + "\n"


def parse_puzzles(text: str) -> list[Puzzle]:
    """Return the puzzles of a file. Raises InvalidPuzzles. Positions and moves are checked, proofs are not."""
    first, *lines = text.splitlines() or [""]
    if read_object(first, 1).get("format") != FORMAT:
        raise InvalidPuzzles(f'line 1: expected {{"format": "{FORMAT}"}}, not {shorten(first)!r}')
    return [read_puzzle(read_object(line, number), number) for number, line in enumerate(lines, 2) if line.strip()]


def read_object(line: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidPuzzles(f"line {number}: expected a JSON object, not {shorten(line)!r}")
    return found


def read_puzzle(found: dict[str, Any], number: int) -> Puzzle:
    texts = [found.get(name) for name in ("game", "position", "move")]
    numbers = [found.get(name) for name in ("value", "level")]
    plies, options = found.get("plies"), found.get("options", {})
    game, position, move = texts
    value, level = numbers
    if not (isinstance(game, str) and isinstance(position, str) and isinstance(move, str)):
        raise InvalidPuzzles(f"line {number}: game, position and move must be texts")
    if not (type(value) is int and type(level) is int and 1 <= level <= MAX_LEVEL):
        raise InvalidPuzzles(f"line {number}: value and level must be whole numbers, level from 1 to {MAX_LEVEL}")
    if not (plies is None or (type(plies) is int and 1 <= plies <= MAX_PLIES)) or not isinstance(options, dict):
        raise InvalidPuzzles(f"line {number}: plies must be a whole number or null, and options an object")
    puzzle = Puzzle(game, position, move, value, level, plies, options)
    try:
        created = puzzle.create()
        created.parse(created.start(), move)
    except GameError as error:
        raise InvalidPuzzles(f"line {number}: {error}") from None
    return puzzle


def shipped_puzzles(game: str) -> list[Puzzle]:
    """Return the puzzles of a game that come with Parlour. Raises InvalidPuzzles if there are none."""
    file = files("engine.puzzles") / "data" / f"{game}.jsonl"
    if not file.is_file():
        raise InvalidPuzzles(f"no puzzles of {game} come with Parlour: make some with 'parlour puzzles {game}'")
    return parse_puzzles(file.read_text("utf-8"))
