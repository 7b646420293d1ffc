"""Read the rules of a game, which are a small part of Markdown, as blocks that a screen can draw.

A figure is a comment: `<!-- figure: POSITION; WHAT; CAPTION -->`. POSITION is a position text or `start`. WHAT is
`legal` (the cells that can be chosen), `pick CELL`, `preview MOVE`, `played MOVE` or `decisive`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Literal

from client.sdk.sides import side_names
from engine.board import Board
from engine.errors import GameError
from engine.game import Game, Move, State
from engine.registry import GAMES, create

FIGURE = re.compile(r"<!-- figure: (?P<position>.+?); (?P<what>[^;]+); (?P<caption>.+) -->")
FIGURE_KINDS = ("legal", "pick", "preview", "played", "decisive")
FOR_PROGRAMS = "\n### For programs\n"  # what follows is for authors of bots, in docs/rules.md
SPAN = re.compile(r"\*\*(?P<b>.+?)\*\*|\*(?P<i>[^*]+)\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]]+)\]\([^)]*\)")

SpanKind = Literal["", "b", "i", "code"]
Spans = tuple[tuple[SpanKind, str], ...]


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    spans: Spans


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: tuple[Spans, ...]


@dataclass(frozen=True)
class Table:
    """A table; its first row has the headings."""

    rows: tuple[tuple[Spans, ...], ...]


@dataclass(frozen=True)
class Example:
    """A text in the notation of the game."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A position with marks, drawn by the engine. Cells are named; `after` is the board after a move, for a preview."""

    game: Game
    position: str
    what: str
    caption: Spans

    @cached_property
    def state(self) -> State:
        """The position before a move that is shown as played."""
        return self.game.start() if self.position == "start" else self.game.load(self.position)

    @cached_property
    def word(self) -> tuple[str, str]:
        """What the figure shows, and of which cell or move."""
        kind, _, argument = self.what.partition(" ")
        return kind, argument

    @cached_property
    def move(self) -> Move | None:
        kind, text = self.word
        return self.game.parse(self.state, text) if kind in ("preview", "played") else None

    @property
    def board(self) -> Board:
        shown = self.state if self.word[0] != "played" or self.move is None else self.game.after(self.state, self.move)
        return self.game.draw(shown)

    @property
    def after(self) -> Board | None:
        if self.word[0] != "preview" or self.move is None:
            return None
        return self.game.draw(self.game.after(self.state, self.move))

    @property
    def last(self) -> tuple[str, ...]:
        """The cells that a played move changed, the one it left first."""
        if self.word[0] != "played" or self.move is None:
            return ()
        path, before = self.game.path(self.state, self.move), self.game.draw(self.state)
        changed = [new.name for old, new in zip(before.cells(), self.board.cells(), strict=True) if old != new]
        return tuple(dict.fromkeys((*path, *changed)))

    @property
    def picked(self) -> tuple[str, ...]:
        if self.word[0] == "pick":
            return (self.word[1],)
        path = () if self.after is None or self.move is None else self.game.path(self.state, self.move)
        return path[:-1] if len(path) > 1 else ()

    @property
    def legal(self) -> tuple[str, ...]:
        """The cells that continue the picked path, or that start one."""
        if self.word[0] not in ("pick", "legal"):
            return ()
        picked = self.picked
        paths = (self.game.path(self.state, move) for move in self.game.moves(self.state))
        return tuple(dict.fromkeys(path[len(picked)] for path in paths if path[: len(picked)] == picked))

    @property
    def decisive(self) -> tuple[str, ...]:
        return self.game.decisive(self.state) if self.word[0] == "decisive" else ()


Block = Heading | Paragraph | Bullets | Table | Example | Figure


@dataclass(frozen=True)
class Chapter:
    """The rules of one game. `lead`: its goal in one sentence."""

    title: str
    lead: str
    blocks: tuple[Block, ...]


class BadChapter(Exception):
    """The rules page of a game has a mistake."""


def has_chapter(name: str) -> bool:
    return bool(GAMES[name].page) or (files(__package__) / f"{name}.md").is_file()


def chapter_text(name: str) -> str:
    """Return the rules of a game as Markdown, as docs/rules.md has them."""
    return GAMES[name].page or (files(__package__) / f"{name}.md").read_text(encoding="utf-8")


def load_chapter(name: str, sides: tuple[str, str] | None = None) -> Chapter:
    """Return the rules of a game for people. Raises GameError if there is no such game.

    A game without a text of its own, or with one that cannot be shown, has a chapter with its options and notation.
    `sides`: the names of the sides, if the pieces do not have the colours after which the game calls them.
    """
    game = create(name)
    if has_chapter(name):
        with suppress(BadChapter):
            return read_chapter(game, chapter_text(name), sides)
    return Chapter(game.title, "", tuple(described(game)))


def read_chapter(game: Game, text: str, sides: tuple[str, str] | None = None) -> Chapter:
    """Return the chapter of a text. Raises BadChapter."""
    text = text.partition(FOR_PROGRAMS)[0]
    if sides is not None and sides != game.sides:
        text = renamed(text, game.sides, sides)
    try:
        blocks = tuple(parse(text, game))
        for block in blocks:
            block_tree(block)  # computes the figures
    except (GameError, LookupError, ValueError) as error:
        raise BadChapter(f"a figure cannot be drawn: {error}") from error
    if not blocks or not isinstance(blocks[0], Paragraph):
        raise BadChapter("it must begin with a title, '## Title: `name`', and a paragraph with the goal of the game")
    return Chapter(game.title, plain(blocks[0].spans), blocks[1:])


def terminal_chapter(name: str) -> Chapter:
    """Return the rules of a game with the names of the colours in the terminal. Raises GameError."""
    return load_chapter(name, side_names(GAMES[name]) if name in GAMES else None)


def renamed(text: str, before: tuple[str, str], after: tuple[str, str]) -> str:
    """Return a chapter with other names of the sides, and a sentence about the names elsewhere."""
    for old, new in zip(before, after, strict=True):
        text = re.sub(rf"\b{old}\b", new, text)
        text = re.sub(rf"\b{old.capitalize()}\b", new.capitalize(), text)
    note = f"Records, bots and browsers call {after[0]} {before[0]} and {after[1]} {before[1]}."
    return text.replace("\n\n### ", f" {note}\n\n### ", 1)


def described(game: Game) -> Iterator[Block]:
    """Yield what the engine itself says about a game."""
    yield Figure(game, "start", "legal", spans("The start of the game."))
    yield Heading("Notation")
    yield Paragraph(spans(f"A move is {game.move_form}. A position is written like this:"))
    yield Example(game.start_position)
    if game.options:
        rows = [("option", "default", "meaning"), *((o.name, str(o.default), o.help) for o in game.options)]
        yield Heading("Options")
        yield Table(tuple(tuple(spans(cell) for cell in row) for row in rows))


def parse(text: str, game: Game) -> Iterator[Block]:
    """Yield the blocks of a chapter. The title, its first line, is left out."""
    for part in re.split(r"\n\s*\n", text.strip())[1:]:
        lines = part.split("\n")
        if lines[0].startswith("### "):
            yield Heading(lines[0].removeprefix("### "))
        elif lines[0].startswith("<!--"):
            yield from (figure(line, game) for line in lines)
        elif lines[0].startswith("|"):
            yield Table(tuple(table_row(line) for line in lines if not re.fullmatch(r"[|\s-]+", line)))
        elif lines[0].startswith("- "):
            items = re.split(r"\n- ", part.removeprefix("- "))
            yield Bullets(tuple(spans(joined(item)) for item in items))
        elif lines[0].startswith("    "):
            yield Example("\n".join(line.removeprefix("    ") for line in lines))
        else:
            yield Paragraph(spans(joined(part)))


def figure(line: str, game: Game) -> Figure:
    found = FIGURE.fullmatch(line)
    if found is None:
        raise BadChapter(f"{line!r} is not a figure like <!-- figure: start; legal; The start. -->")
    if found["what"].partition(" ")[0] not in FIGURE_KINDS:
        raise BadChapter(f"{found['what']!r} is not what a figure can show: use one of {', '.join(FIGURE_KINDS)}")
    board = game if found["position"] == "start" else type(game)({"start": found["position"]})
    return Figure(board, found["position"], found["what"], spans(found["caption"]))


def table_row(line: str) -> tuple[Spans, ...]:
    return tuple(spans(cell.strip()) for cell in line.strip().strip("|").split("|"))


def joined(text: str) -> str:
    return " ".join(line.strip() for line in text.split("\n"))


def spans(text: str) -> Spans:
    """Split a text into plain, bold, italic and code parts."""
    parts: list[tuple[SpanKind, str]] = []
    at = 0
    for found in SPAN.finditer(text):
        kinds: tuple[SpanKind, ...] = ("b", "i", "code")
        kind: SpanKind = next((kind for kind in kinds if found[kind]), "")
        parts += [("", text[at : found.start()]), (kind, found[kind or "link"])]
        at = found.end()
    parts.append(("", text[at:]))
    return tuple(part for part in parts if part[1])


def plain(parts: Spans) -> str:
    return "".join(text for _, text in parts)


# -- for the browser


def layout_tree(game: Game) -> dict[str, Any]:
    """Return how to draw a game, as the protocol's `layout`."""
    board = game.draw(game.start())
    return {
        "kind": game.kind or ("stacks" if board.counted else "marbles"),
        "rows": [[None if cell is None else cell.name for cell in row] for row in board.rows],
        "files": board.files,
        "ranks": board.ranks,
        "marks": board.marks,
        "colours": game.colour_names,
        "counted": board.counted,
        **({} if game.near is None else {"near": game.near}),
    }


def board_tree(board: Board) -> list[tuple[int | None, int]]:
    """Return a board as in the protocol: owner and count of each cell."""
    return [(cell.owner, 0 if cell.owner is None else cell.count) for cell in board.cells()]


def block_tree(block: Block) -> dict[str, Any]:
    """Return a block as JSON data."""
    match block:
        case Heading(text):
            return {"kind": "heading", "text": text}
        case Paragraph(parts):
            return {"kind": "paragraph", "spans": parts}
        case Bullets(items):
            return {"kind": "bullets", "items": items}
        case Table(rows):
            return {"kind": "table", "rows": rows}
        case Example(text):
            return {"kind": "example", "text": text}
        case Figure():
            return {
                "kind": "figure",
                "layout": layout_tree(block.game),
                "board": board_tree(block.board),
                "preview": None if block.after is None else board_tree(block.after),
                "last": block.last,
                "picked": block.picked,
                "legal": block.legal,
                "decisive": block.decisive,
                "caption": block.caption,
            }


def chapter_tree(name: str) -> dict[str, Any]:
    """Return the rules of a game as JSON data."""
    chapter = load_chapter(name)
    return {"title": chapter.title, "lead": chapter.lead, "blocks": [block_tree(block) for block in chapter.blocks]}


def all_chapters() -> dict[str, dict[str, Any]]:
    """Return the rules of all games, by name."""
    return {name: chapter_tree(name) for name in GAMES}
