"""Wrap the rules of a game to lines of a given width, for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from client.presentation.rules.chapter import Block, Bullets, Chapter, Example, Figure, Heading, Paragraph, Spans, Table
from client.presentation.rules.chapter import plain as plain_text
from engine.board import Board

COLUMN_GAP_COLUMNS = 2
MIN_CELL_COLUMNS = 6
INDENT = "    "  # of examples and figures in plain text
ARROW = "  ->  "  # between the boards before and after a move

Text = Paragraph | Bullets | Table | Example


def with_goal(chapter: Chapter) -> tuple[Block, ...]:
    """Return the blocks of a chapter, with its goal as the first section."""
    goal = (Heading("Goal"), Paragraph((("", chapter.lead),)))
    return (*goal, *chapter.blocks) if chapter.lead else chapter.blocks


def text_lines(block: Text, width: int) -> list[Spans]:
    """Return a block of text as lines of at most `width` characters. Only examples can be longer."""
    match block:
        case Paragraph(parts):
            return wrapped(parts, width)
        case Bullets(items):
            return [line for item in items for line in bullet(item, width)]
        case Table(rows):
            return table_lines(rows, width)
        case Example(text):
            return [(("code", line),) for line in text.split("\n")]


def wrapped(parts: Spans, width: int) -> list[Spans]:
    """Return a text as lines. A word that is longer than a line is broken."""
    lines: list[Spans] = []
    line: Spans = ()
    for word in words(parts, width):
        if line and length(line) + 1 + length(word) > width:
            lines.append(line)
            line = ()
        line = (*line, ("", " "), *word) if line else word
    return [*lines, line]


def words(parts: Spans, width: int) -> Iterator[Spans]:
    """Yield the words of a text. A word can consist of several spans, such as code and a full stop."""
    word: Spans = ()
    for kind, text in parts:
        for piece in re.findall(rf"\s+|\S{{1,{width}}}", text):
            if piece.isspace() or length(word) + len(piece) > width:
                if word:
                    yield word
                word = ()
            if not piece.isspace():
                word = (*word, (kind, piece))
    if word:
        yield word


def bullet(item: Spans, width: int) -> list[Spans]:
    first, *rest = wrapped(item, width - 2)
    return [(("", "- "), *first), *((("", "  "), *line) for line in rest)]


def table_lines(rows: Sequence[tuple[Spans, ...]], width: int) -> list[Spans]:
    """Return a table with aligned columns. The texts of wide columns are wrapped; the headings are bold."""
    head, *body = rows
    rows = [tuple((("b", plain_text(cell)),) for cell in head), *body]
    widths = column_widths(rows, width)
    lines: list[Spans] = []
    for row in rows:
        cells = [wrapped(cell, columns) for cell, columns in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=()):
            padded = (
                padded_to(part, columns + COLUMN_GAP_COLUMNS) for part, columns in zip(parts, widths, strict=True)
            )
            lines.append(trimmed(tuple(span for cell in padded for span in cell)))
    return lines


def column_widths(rows: Sequence[tuple[Spans, ...]], width: int) -> list[int]:
    """Return the widths of the columns: those of their longest texts, with the widest reduced until all fit."""
    widths = [max(1, *map(length, column)) for column in zip(*rows, strict=True)]
    while sum(widths) + COLUMN_GAP_COLUMNS * (len(widths) - 1) > width and max(widths) > MIN_CELL_COLUMNS:
        widths[widths.index(max(widths))] -= 1
    return widths


def padded_to(line: Spans, width: int) -> Spans:
    return (*line, ("", " " * (width - length(line))))


def trimmed(line: Spans) -> Spans:
    """Return a line without the spaces at its end."""
    while line and line[-1][1].isspace():
        line = line[:-1]
    return line


def length(line: Spans) -> int:
    return sum(len(text) for _, text in line)


# -- plain text


def plain_lines(chapter: Chapter, width: int) -> Iterator[str]:
    """Yield a chapter as plain text. Figures are boards of letters, before and after the move."""
    yield chapter.title
    for block in with_goal(chapter):
        yield ""
        match block:
            case Heading(text):
                yield text.upper()
            case Figure():
                yield from (plain_text(line) for line in wrapped(block.caption, width))
                yield from (f"{INDENT}{line}".rstrip() for line in figure_lines(block))
            case Example():
                yield from (f"{INDENT}{plain_text(line)}" for line in text_lines(block, width))
            case _:
                yield from (plain_text(line) for line in text_lines(block, width))


def figure_lines(figure: Figure) -> list[str]:
    """Return the board of a figure; if it previews a move, also the board after it."""
    return board_lines(figure.board) if figure.after is None else side_by_side(figure.board, figure.after)


def board_lines(board: Board) -> list[str]:
    return board.text().split("\n")


def side_by_side(before: Board, after: Board) -> list[str]:
    left, right = board_lines(before), board_lines(after)
    columns, middle = max(map(len, left)), len(left) // 2
    return [
        f"{line:<{columns}}{ARROW if row == middle else ' ' * len(ARROW)}{other}".rstrip()
        for row, (line, other) in enumerate(zip(left, right, strict=True))
    ]
