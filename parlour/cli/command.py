"""What every sub-command has, and how the command line reports mistakes."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from typing import Any, NoReturn, Protocol

from parlour.errors import UserError


class Command(Protocol):
    """A module of parlour/cli/commands or parlour/coursework. Its docstring is the text of --help."""

    __doc__: str | None

    def arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, args: Namespace) -> int: ...


REWORDINGS = (  # what argparse says, in words that users know
    (r"argument (\S+): expected one argument", r"\1 needs a value"),
    (r"argument (\S+): expected at least one argument", r"\1 needs a value"),
    (r"argument (\S+): invalid choice: (.+?)(?:, maybe .*)? \(choose from (.*)\)", r"\1 must be one of \3, not \2"),
    (r"argument (\S+): not allowed with argument (\S+)", r"\1 and \2 exclude each other: use one of them"),
    (r"argument (\S+): invalid (?:int|float) value: (.*)", r"\1 must be a number, not \2"),
    (r"argument (\S+): (.*)", r"\1: \2"),
    (r"unrecognized arguments: (.*)", r"unknown option or extra argument: \1"),
    (r"ambiguous option: (\S+) could match (.*)", r"\1 is ambiguous: write one of \2"),
    (r"the following arguments are required: (.*?)(?:, \.\.\.)?", r"missing: \1"),
    (r"one of the arguments (.*) is required", r"missing: one of \1"),
)


class Parser(ArgumentParser):
    """An argument parser that reports a mistake as one sentence."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._negative_number_matcher = re.compile(r"-\d")  # -1+2 is a value, to be checked like any other

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{reword(message)}; see '{self.prog} --help'")


def reword(message: str) -> str:
    """Return an error message of argparse in plain words."""
    for pattern, sentence in REWORDINGS:
        if (match := re.fullmatch(pattern, message, re.S)) is not None:
            choices = match.expand(sentence)
            return re.sub(r"'([\w-]+)'(?=,)", r"\1", choices) if "one of" in sentence else choices
    return message


def report_error(sentence: str) -> int:
    """Print an error, and return the exit code of a user's mistake."""
    from runtime.printable import print_error  # not before the check for modules that hide ours

    print_error(sentence)
    return 2
