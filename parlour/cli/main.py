"""The `parlour` command: a table of sub-commands, each imported only when it is called."""

from __future__ import annotations

import importlib
import os
import sys
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from parlour import Shadowed, check_packages
from parlour.cli.command import Command, Parser, report_error
from parlour.errors import UserError

GROUPS = {
    "play and watch": {
        "play": "play in the terminal, against a bot or a person",
        "watch": "watch a game, several games, or the lobby",
        "tv": "watch live games side by side; new ones appear by themselves",
        "rules": "explain a game: its goal, its moves, its notation",
        "rooms": "list the rooms of a server",
        "leaderboard": "list the best players of a server",
    },
    "run a server": {
        "serve": "run a server",
        "account": "manage the accounts and tokens of a server",
        "db": "maintain the database of a server: copy, back up, check, archive",
        "reviewer": "review the finished games that players of a server ask for",
        "loadtest": "measure how much load your server can take",
    },
    "bots and courses": {
        "bot": "connect a bot: a built-in one, your own, or any program",
        "tournament": "run tournaments that can be resumed",
        "ladder": "rate the bots of a server, day and night",
        "grade": "grade a folder of homework: build, play, award points",
        "course": "run a solution of a course assignment, with its files",
    },
    "games of your own": {
        "game": "write a game as a package, and check it",
    },
    "positions": {
        "best": "find the best move in a position",
        "solve": "compute the exact value of a position",
        "ugi": "offer the search to programs that speak UGI",
        "puzzles": "make puzzles: positions with exactly one good move",
        "dataset": "export positions with moves, results and values, for learners",
        "perft": "count the move sequences of a given length",
    },
    "recorded games": {
        "show": "replay a recorded game",
        "review": "judge every move of a recorded game, by proof where possible",
        "verify": "check every move and the result of recorded games",
        "export": "convert a recorded game to JSON or text",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    return guarded(lambda: run(list(sys.argv[1:] if argv is None else argv)))


def guarded(action: Callable[[], int]) -> int:
    """Run an action and return its exit code. A user's mistake prints one sentence, never a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):  # an encoding that lacks a character gets its number
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = action()
        if sys.stdout is not None:  # None if it was closed before the start
            sys.stdout.flush()
        return code
    except Shadowed as error:
        print(f"parlour: {error}", file=sys.stderr)  # noqa: T201  # our packages cannot be imported
        return 2
    except UserError as error:
        return report_error(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of the pipe is gone
        discard_output()
        return 0
    except OSError as error:  # a full disk, a file that was deleted
        discard_output()
        reason = (error.strerror or str(error)).lower()
        return report_error(f"{reason}{f': {error.filename}' if error.filename else ''}; correct that and try again")


def run(words: list[str]) -> int:
    """Run the sub-command that the words ask for. Raises UserError."""
    if words[:1] == ["help"] and len(words) > 1:  # parlour help show = parlour show --help
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())  # noqa: T201  # our own text, and nothing else is imported for it
        return 0
    if words[0] in ("-V", "--version"):
        from importlib.metadata import version

        print(f"parlour {version('parlour')}")  # noqa: T201
        return 0
    if words[0] not in COMMANDS:
        from difflib import get_close_matches

        close = get_close_matches(words[0].lower(), COMMANDS, 1)
        maybe = f": did you mean {close[0]!r}?" if close else ";"
        raise UserError(f"there is no command {words[0][:40]!r}{maybe} 'parlour --help' lists them")
    return run_command(words[0], words[1:])


def run_command(name: str, words: list[str], prepare: Callable[[Namespace], None] = lambda args: None) -> int:
    """Run a sub-command. `prepare` may check and change its arguments. Raises UserError."""
    check_packages()
    from engine.errors import GameError

    args = parser_of(name).parse_args(words)
    prepare(args)
    try:
        return command_module(name).run(args)
    except GameError as error:
        raise UserError(str(error)) from None


def parser_of(name: str) -> Parser:
    """Return the argument parser of a sub-command."""
    command = command_module(name)
    parser = Parser(f"parlour {name}", description=command.__doc__, formatter_class=RawDescriptionHelpFormatter)
    command.arguments(parser)
    return parser


def command_module(name: str) -> Command:
    command: Command = importlib.import_module(f"parlour.cli.commands.{name}")
    return command


def discard_output() -> None:
    """Redirect standard output to the null device, so that flushing it at exit does not fail again."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def overview() -> str:
    width = max(map(len, COMMANDS))
    lines = ["usage: parlour COMMAND [...]", "", "A server where board-game bots and people play, and its tools.", ""]
    lines += ["Start with 'parlour play conga': it needs no server.", ""]
    lines += ["Games: conga, mancala, maxconnect4, and cohcoh (n-k-coh-coh: a line of k marbles loses).", ""]
    for title, commands in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:{width}}  {summary}" for name, summary in commands.items()), ""]
    lines.append("'parlour COMMAND --help' describes a command; 'parlour --version' prints the version.")
    return "\n".join(lines)
