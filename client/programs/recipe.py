"""Recipes: how to play with a program that was written for a person at a terminal.

A recipe is a TOML file. docs/writing-a-bot.md explains its keys. It has regular expressions for what the program
prints: its questions, its moves or its boards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from client.programs.failure import Failure
from client.programs.process import without_colours
from engine.errors import GameError, shorten
from engine.game import Game, Move, State
from engine.registry import GAMES
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_PLAN_BYTES, UnsafeFile, parse_toml, read_file

SUFFIX = ".toml"
SQUARES = re.compile(r"([a-z])(\d+)([a-z])(\d+)")  # a move from one square to another


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """A question of the program, as a regular expression, and the answer."""

    expect: str
    send: str


class BoardForm(msgspec.Struct, forbid_unknown_fields=True):
    """How the program prints a board: a line per row, with cells that have an owner and a number of stones."""

    row: str
    cell: str
    first: str  # what marks the stones of the first player in the group `owner` of a cell
    second: str


class Recipe(msgspec.Struct, forbid_unknown_fields=True):
    """`asks`: how the program asks for the opponent's move. Its own move is in `move`, or follows from `board`."""

    game: str
    asks: Question
    start: list[Question] = []
    move: str = ""
    board: BoardForm | None = None
    keep_colours: bool = False


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The values of the placeholders in what is sent to the program."""

    side: int
    depth: int

    def fill(self, text: str, move: str = "") -> str:
        """Return a text with its placeholders replaced. `move`: the opponent's."""
        values = {"side": str(self.side + 1), "other": str(2 - self.side), "depth": str(self.depth), "move": move}
        if (squares := SQUARES.fullmatch(move)) is not None:
            x1, y1, x2, y2 = squares.groups()
            values |= {"x1": column(x1), "y1": y1, "x2": column(x2), "y2": y2}
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)


def column(letter: str) -> str:
    """Return the number of a column: 1 for a."""
    return str(ord(letter) - ord("a") + 1)


def load(path: Path) -> Recipe:
    """Return the recipe of a file. Raises Failure if it is not valid."""
    try:
        recipe = msgspec.convert(parse_toml(read_file(path, MAX_PLAN_BYTES).decode()), Recipe)
        patterns = [*(question.expect for question in (*recipe.start, recipe.asks)), recipe.move]
        if recipe.board is not None:
            patterns += [recipe.board.row, recipe.board.cell]
        for pattern in patterns:
            re.compile(pattern)
    except OSError as error:
        raise Failure("start", describe_file_error("read", path, error)) from None
    except (UnsafeFile, ValueError, re.error) as error:
        raise Failure("start", f"{path} is not a recipe: {error}") from None
    if recipe.game not in GAMES:
        raise Failure("start", f"{path}: game should be one of {', '.join(GAMES)}, not {recipe.game[:40]!r}")
    if bool(recipe.move) == (recipe.board is not None):
        raise Failure("start", f"{path}: give either move or board, to read the program's moves from")
    if recipe.board is not None and "owner" not in re.compile(recipe.board.cell).groupindex:
        raise Failure("start", f"{path}: cell needs a group (?P<owner>…), and (?P<count>…) if stones are counted")
    return recipe


def clean_output(recipe: Recipe, text: str) -> str:
    """Return what a program printed, without carriage returns and colours."""
    text = text.replace("\r", "")
    return text if recipe.keep_colours else without_colours(text)


def find_move(recipe: Recipe, game: Game, state: State, text: str) -> Move | None:
    """Return the move that a program printed, or None as long as there is none. Raises Failure if it is not legal."""
    if recipe.board is not None:
        return boards_after(game, state).get(read_last_board(recipe.board, game, state, text))
    found = [*re.finditer(recipe.move, text)]
    if not found:
        return None
    groups = found[-1].groups() or (found[-1][0],)
    words = "".join(groups)
    if len(groups) == 4:  # x1 y1 x2 y2
        words = "".join(chr(ord("a") + int(word) - 1) if at % 2 == 0 else word for at, word in enumerate(groups))
    try:
        return game.parse(state, words)
    except (GameError, ValueError) as error:
        raise Failure("illegal", f"it printed {shorten(found[-1][0])!r}: {error}", words) from None


BoardText = tuple[tuple[tuple[int | None, int], ...], ...]


def boards_after(game: Game, state: State) -> Mapping[BoardText, Move]:
    """Return the boards after each legal move."""
    return {board_of(game, game.after(state, move)): move for move in game.moves(state)}


def board_of(game: Game, state: State) -> BoardText:
    board = game.draw(state)
    return tuple(
        tuple((cell.owner, cell.count if board.counted else 0) for cell in row if cell is not None)
        for row in board.rows
    )


def read_last_board(form: BoardForm, game: Game, state: State, text: str) -> BoardText:
    """Return the last board that a program printed. It is empty if there is none."""
    owners = {form.first: 0, form.second: 1}
    counted, height = game.draw(state).counted, len(game.draw(state).rows)
    rows = [line for line in text.splitlines() if re.search(form.row, line)][-height:]
    if len(rows) < height:
        return ()
    return tuple(
        tuple(
            (owners.get(cell["owner"] or ""), int(cell["count"] or 0) if counted else 0)
            for cell in re.finditer(form.cell, row)
        )
        for row in rows
    )
