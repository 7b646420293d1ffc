"""The interface of the pictures of boards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from rich.segment import Segment

from client.tui.render.marks import NO_MARKS, Marks
from engine.board import Board, Cell


class BoardPicture(ABC):
    """A board drawn in one size. It contains the labels of files and ranks, unless they are left out."""

    board: Board  # as it is drawn: rotated if the picture is flipped

    @property
    @abstractmethod
    def columns(self) -> int:
        """The width in characters."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The height in characters."""

    @property
    @abstractmethod
    def body_columns(self) -> int:
        """The width without the labels of the ranks."""

    @abstractmethod
    def cell_at(self, x: int, y: int) -> Cell | None:
        """Return the cell at a character of the picture."""

    @abstractmethod
    def lines(self, marks: Marks = NO_MARKS) -> list[list[Segment]]:
        """Return the lines of the picture from top to bottom, each as wide as the picture."""


def rotated(board: Board) -> Board:
    """Return the board as seen from the other side."""
    rows = tuple(tuple(row[::-1]) for row in board.rows[::-1])
    return replace(board, rows=rows, files=board.files[::-1], ranks=board.ranks[::-1])


def column_of(board: Board, name: str | None) -> int | None:
    """Return the number of the column of a cell, or None if there is no such cell."""
    for row in board.rows if name is not None else ():
        for column, cell in enumerate(row):
            if cell is not None and cell.name == name:
                return column
    return None
