"""What every sub-command has, and how the command line reports mistakes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import NoReturn, Protocol

from parlour.errors import UserError


class Command(Protocol):
    """A module of parlour/cli/commands or parlour/coursework. Its docstring is the text of --help."""

    __doc__: str | None

    def arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, args: Namespace) -> int: ...


class Parser(ArgumentParser):
    """An argument parser that reports a mistake as one sentence."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see '{self.prog} --help'")


def report_error(sentence: str) -> int:
    """Print an error, and return the exit code of a user's mistake."""
    print(f"parlour: {sentence}", file=sys.stderr)
    return 2
