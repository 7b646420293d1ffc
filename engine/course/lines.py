"""A course file as numbered lines with any line ends, and the error that names a line."""

from __future__ import annotations

import re

from engine.errors import GameError, shorten

LINE_BREAK = re.compile(r"\r*\n|\r")  # LF, CRLF, CRCRLF and CR


class CourseFileError(GameError):
    """Invalid course file. The message names the line and what was expected there."""

    def __init__(self, line: int, expected: str, found: str | None) -> None:
        what = "but the file ends before it" if found is None else f"not {shorten(found)!r}"
        super().__init__(f"line {line}: expected {expected}, {what}")
        self.line = line


class Lines:
    """Reads the lines of a text one by one, without line ends and trailing spaces."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in LINE_BREAK.split(text)]
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        self.number = 0

    def next(self, expected: str) -> str:
        """Return the next line. Raises CourseFileError with `expected` if there is none."""
        self.number += 1
        if self.number > len(self._lines):
            raise CourseFileError(self.number, expected, None)
        return self._lines[self.number - 1]

    def wrong(self, expected: str) -> CourseFileError:
        """Return the error for the last line read."""
        return CourseFileError(self.number, expected, self._lines[self.number - 1])

    def end(self) -> None:
        """Raise CourseFileError if there are more lines."""
        if self.number < len(self._lines):
            extra = self._lines[self.number]
            raise CourseFileError(self.number + 1, f"nothing after line {self.number}", extra)
