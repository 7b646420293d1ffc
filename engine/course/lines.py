"""A course file as numbered lines, whatever machine wrote it, and the error that names the line."""

from __future__ import annotations

import re

from engine.errors import GameError, shorten

BREAK = re.compile(r"\r*\n|\r")  # LF, CRLF, CRCRLF and CR


class CourseFileError(GameError):
    """A file of the course that is not as it should be: the line, and what was expected there."""

    def __init__(self, line: int, expected: str, found: str | None) -> None:
        what = "the file ends before it" if found is None else f"not {shorten(found)!r}"
        super().__init__(f"line {line}: expected {expected}, {what}")
        self.line = line


class Lines:
    """The lines of a text without their ends, read one after the other; blanks at the end of a line do not count."""

    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip() for line in BREAK.split(text)]
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        self.number = 0

    def next(self, expected: str) -> str:
        """The next line; `expected` is what the error says of a file that ends too soon."""
        self.number += 1
        if self.number > len(self._lines):
            raise CourseFileError(self.number, expected, None)
        return self._lines[self.number - 1]

    def wrong(self, expected: str) -> CourseFileError:
        """The error for the line read last."""
        return CourseFileError(self.number, expected, self._lines[self.number - 1])

    def end(self) -> None:
        """Refuse whatever comes after the last line that counts."""
        if self.number < len(self._lines):
            extra = self._lines[self.number]
            raise CourseFileError(self.number + 1, f"nothing after line {self.number}", extra)
