"""The `parlour` command: a table of sub-commands, each imported when it is called and not before."""

from __future__ import annotations

import importlib
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn, Protocol

from parlour import Shadowed, check_house

COMMANDS = {
    "play": "play at the terminal, against a bot or anybody",
    "watch": "watch games: one, a wall of several, or the lobby",
    "rooms": "the rooms of a server",
    "leaderboard": "the best players of a server, and their ratings",
    "serve": "run a server",
    "bot": "connect a bot: one of the house, your own, or any program",
    "tournament": "round robin, swiss, knockout, matches, grading; resumable",
    "loadtest": "how much a server of yours can take",
    "account": "names and tokens of a server's players",
    "best": "the best move of a position",
    "solve": "the exact value of a position, and a best line",
    "perft": "count the ways a game can go on, move by move",
    "show": "replay a record in the terminal",
    "verify": "check every move and the result of records",
    "export": "convert a record to JSON or clean text",
    "course": "the course programs: mancala, maxconnect4, nkcohcoh, conga",
}


class Command(Protocol):
    """A module of parlour/commands."""

    __doc__: str | None

    def arguments(self, parser: ArgumentParser) -> None: ...

    def run(self, args: Namespace) -> int: ...


class Parser(ArgumentParser):
    """Says what is wrong with arguments in one sentence."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; '{self.prog} --help' tells more")


class UserError(Exception):
    """A mistake of the user; the text is one sentence that says what to do."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line. A user's mistake costs one sentence, never a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that cannot show a character shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = run(list(sys.argv[1:] if argv is None else argv))
        if sys.stdout is not None:  # None: started with no standard output at all
            sys.stdout.flush()
        return code
    except (Shadowed, UserError) as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe has gone: nobody is left to tell
        silence()
        return 0
    except OSError as error:  # a full disk, a file that went away
        silence()
        return complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def run(words: list[str]) -> int:
    if words[:1] == ["help"] and len(words) > 1:  # parlour help show = parlour show --help
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return 0
    if words[0] in ("-V", "--version"):
        from importlib.metadata import version

        print(f"parlour {version('parlour')}")
        return 0
    if words[0] not in COMMANDS:
        raise UserError(f"there is no command {words[0][:40]!r}; 'parlour --help' lists them")
    return call(words[0], words[1:])


def call(name: str, words: list[str]) -> int:
    check_house()
    from engine.errors import GameError

    command: Command = importlib.import_module(f"parlour.cli.commands.{name}")
    parser = Parser(f"parlour {name}", description=command.__doc__, formatter_class=RawDescriptionHelpFormatter)
    command.arguments(parser)
    args = parser.parse_args(words)
    try:
        return command.run(args)
    except GameError as error:
        raise UserError(str(error)) from None


def silence() -> None:
    """Send what is still unwritten nowhere, so that leaving does not fail once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(sentence: str) -> int:
    print(f"parlour: {sentence}", file=sys.stderr)
    return 2


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = ["usage: parlour COMMAND [...]", "", "Where board-game bots and people meet.", ""]
    lines += [f"  {name:{width}}  {summary}" for name, summary in COMMANDS.items()]
    lines += ["", "'parlour COMMAND --help' tells about one of them; 'parlour --version' prints the version."]
    return "\n".join(lines)
