"""The replay viewer of `parlour show`, without I/O: the current ply, the keys, the lines of the screen."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from engine.board import Board, Cell
from parlour.cli.replay.transcript import Transcript

STYLES = {"": "", "bold": "1", "dim": "2", "0": "36", "1": "33", "0 new": "1;7;36", "1 new": "1;7;33", "new": "7"}
STEPS = {
    "right": 1,
    "down": 1,
    " ": 1,
    "n": 1,
    "left": -1,
    "up": -1,
    "backspace": -1,
    "p": -1,
    "page down": 10,
    "page up": -10,
}
HELP = "←/→ or space: step   home/end   number, enter: jump   q: quit"


class Span(NamedTuple):
    """A piece of a line, and the name of its style in STYLES."""

    text: str
    style: str = ""


class Viewer:
    """The state of the viewer: the ply shown, and the number being typed."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.ply = 0
        self.typed = ""

    def press(self, key: str) -> bool:
        """Handle a key. Return False if it quits."""
        typed, self.typed = self.typed, ""
        if key in ("q", "Q"):
            return False
        if key.isascii() and key.isdigit():
            self.typed = (typed + key)[:6]
        elif typed and key == "backspace":
            self.typed = typed[:-1]
        elif typed and key == "enter":
            self.go(int(typed))
        elif key == "resize":
            self.typed = typed
        elif key in STEPS:
            self.go(self.ply + STEPS[key])
        elif key in ("home", "end"):
            self.go(0 if key == "home" else self.transcript.last)
        return True

    def go(self, ply: int) -> None:
        self.ply = min(max(ply, 0), self.transcript.last)

    def frame(self, columns: int, rows: int, colour: bool) -> list[str]:
        """Return the lines of a screen of this size."""
        paragraphs = [*self.picture(), *self.words(columns)]
        foot = [Span(f"go to ply {self.typed}_   enter: jump", "bold") if self.typed else Span(HELP, "dim")]
        body = [*([[Span(self.transcript.title(), "bold")], []] if rows > len(paragraphs) + 2 else []), *paragraphs]
        lines = [*body[: max(rows - 1, 0)], *([[]] * max(rows - 1 - len(body), 0)), foot]
        return [paint(line, columns, colour) for line in lines[:rows] if rows]

    def picture(self) -> list[list[Span]]:
        board = self.transcript.boards[self.ply]
        return draw(board, self.transcript.boards[max(self.ply - 1, 0)])

    def words(self, columns: int) -> list[list[Span]]:
        talk, ply = self.transcript, self.ply
        lines = [[], [Span(f"{talk.move(ply)}", "bold"), Span(f"   ply {ply} of {talk.last}", "dim")]]
        if note := talk.note(ply):
            lines.append([Span(note)])
        lines += [[Span(part)] for part in wrap(talk.status(ply), columns)]
        lines += [[], self.nearby_moves(columns)]
        if facts := talk.facts():
            lines.append([Span(facts, "dim")])
        return lines

    def nearby_moves(self, columns: int) -> list[Span]:
        """Return a line with the moves before and after this ply."""
        moves = self.transcript.record.moves
        reach = max(columns // 16, 1)
        first, last = max(self.ply - reach, 1), min(self.ply + reach, self.transcript.last)
        return [
            Span(f"{ply}. {moves[ply - 1].move}  ", "bold" if ply == self.ply else "dim")
            for ply in range(first, last + 1)
        ]


def draw(board: Board, before: Board) -> list[list[Span]]:
    """Return the board in its colours, with the changes since the board before highlighted."""
    faces = [[board.face(cell) for cell in row] for row in board.rows]
    width = max(len(text) for row in [*faces, list(board.files)] for text in row)
    margin = max(map(len, board.ranks))
    lines = []
    for rank, row, old_row, texts in zip(board.ranks, board.rows, before.rows, faces, strict=True):
        line = [Span(f"{rank:>{margin}} ", "dim")]
        for cell, old, text in zip(row, old_row, texts, strict=True):
            line += [Span(" " * (width - len(text) + 1)), Span(text, style(cell, old))]
        lines.append(line)
    lines.append([Span(" " * margin + "  " + " ".join(f"{label:>{width}}" for label in board.files), "dim")])
    return lines


def style(cell: Cell | None, old: Cell | None) -> str:
    if cell is None:
        return ""
    new = "new" if cell != old else ""
    if cell.owner is None:
        return new or "dim"
    return f"{cell.owner} {new}".strip()


def wrap(text: str, columns: int) -> list[str]:
    """Break a long text into lines."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > columns:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def paint(line: list[Span], columns: int, colour: bool) -> str:
    """Return a line with its escape sequences, cut to the width of the screen."""
    out, room = "", columns
    for text, name in line:
        fit = ""
        for char in text:
            room -= cells(char)
            if room < 0:
                break
            fit += char
        out += f"\x1b[{STYLES[name]}m{fit}\x1b[0m" if colour and STYLES[name] and fit else fit
        if room < 0:
            break
    return out


def cells(char: str) -> int:
    """Return the number of columns that a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
