"""A record on a screen: the ply shown, the keys, the picture. parlour/cli/replay/terminal.py does the I/O."""

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
HELP = "←/→ or space: step   home/end   number, enter: jump   q: leave"


class Span(NamedTuple):
    """A piece of a line, with a name of STYLES."""

    text: str
    style: str = ""


class Viewer:
    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.ply = 0
        self.typed = ""  # the number being typed

    def press(self, key: str) -> bool:
        """Act on a key; False: leave."""
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
        """The lines of the screen, none wider than it, no more than it has."""
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
        lines += [[Span(part)] for part in wrapped(talk.status(ply), columns)]
        lines += [[], self.neighbours(columns)]
        if facts := talk.facts():
            lines.append([Span(facts, "dim")])
        return lines

    def neighbours(self, columns: int) -> list[Span]:
        """The moves around this one, in a line."""
        moves = self.transcript.record.moves
        reach = max(columns // 16, 1)
        first, last = max(self.ply - reach, 1), min(self.ply + reach, self.transcript.last)
        return [
            Span(f"{ply}. {moves[ply - 1].move}  ", "bold" if ply == self.ply else "dim")
            for ply in range(first, last + 1)
        ]


def draw(board: Board, before: Board) -> list[list[Span]]:
    """The board in its colours; what is new since the board before stands out."""
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


def wrapped(text: str, columns: int) -> list[str]:
    """A text that may be long, over several lines."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > columns:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines


def paint(line: list[Span], columns: int, colour: bool) -> str:
    """A line as the terminal gets it, cut to its width."""
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
    """How many columns a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
