"""The `parlour` command: a table of sub-commands, each imported when it is called and not before."""

from __future__ import annotations

import importlib
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Protocol

COMMANDS = {
    "perft": "count the ways a game can go on, move by move",
    "show": "replay a record in the terminal",
    "verify": "check every move and the result of records",
    "export": "convert a record to JSON or clean text",
}


class Command(Protocol):
    """A module of parlour/commands."""

    __doc__: str | None

    def arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, args: Namespace) -> int: ...


class UserError(Exception):
    """A mistake of the user; the text is one sentence that says what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        from importlib.metadata import version

        print(f"parlour {version('parlour')}")
        return 0
    if words[0] not in COMMANDS:
        return complain(f"there is no command {words[0][:40]!r}; 'parlour --help' lists them")
    return call(words[0], words[1:])


def call(name: str, words: list[str]) -> int:
    command: Command = importlib.import_module(f"parlour.commands.{name}")
    parser = ArgumentParser(f"parlour {name}", description=command.__doc__, formatter_class=RawDescriptionHelpFormatter)
    command.arguments(parser)
    args = parser.parse_args(words)
    from engine.errors import GameError

    try:
        code = command.run(args)
        sys.stdout.flush()
        return code
    except (GameError, UserError) as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe has gone: nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def complain(sentence: str) -> int:
    print(f"parlour: {sentence}", file=sys.stderr)
    return 2


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = ["usage: parlour COMMAND [...]", "", "Where board-game bots and people meet.", ""]
    lines += [f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items()]
    lines += ["", "'parlour COMMAND --help' tells about one of them; 'parlour --version' prints the version."]
    return "\n".join(lines)
