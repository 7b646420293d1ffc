"""Print text from others: names, notes and titles appear on a terminal without control characters.

A name, a note, a title, an error of a server or a line of a file may contain escape sequences, bidirectional
overrides or line breaks. Printed as they are, these would manipulate the terminal or forge lines. Every command prints
with `print_line` and `print_lines`; ruff refuses `print` elsewhere.
"""

from __future__ import annotations

import json
import sys
from typing import TextIO

LAYOUT = "\n\t"  # control characters of a text of several lines


def printable(text: str) -> str:
    r"""Return one line without control, formatting and other unprintable characters: they are shown as `\u001b`.

    The escapes are those of JSON, so a JSON text keeps its meaning.
    """
    return text if text.isprintable() else "".join(map(visible, text))


def printable_lines(text: str) -> str:
    """Return a text like `printable`, but keep line breaks and tabs. Only for texts whose lines are our own."""
    if text.isprintable():
        return text
    return "".join(char if char in LAYOUT else visible(char) for char in text)


def visible(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def print_line(text: str = "", *, file: TextIO | None = None, flush: bool = False) -> None:
    """Print one line, to standard output unless `file` is given."""
    print(printable(text), file=file, flush=flush)


def print_lines(text: str, *, file: TextIO | None = None, flush: bool = False) -> None:
    """Print a text of several lines, to standard output unless `file` is given."""
    print(printable_lines(text), file=file, flush=flush)


def print_error(sentence: str) -> None:
    """Print an error or a notice of the command to standard error."""
    print_line(f"parlour: {sentence}", file=sys.stderr, flush=True)
