"""Arguments that several commands share: which game, with which options, from which position; which file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from engine.game import Game
from engine.registry import GAMES, create
from parlour.cli.main import UserError


def add_game(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(GAMES)}")
    add_options(parser)
    parser.add_argument(
        "--position", metavar="TEXT", help="start from this position, which also tells the board's size"
    )


def add_options(parser: ArgumentParser) -> None:
    text = "an option of the game, like pits=6; may be repeated"
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help=text)


def add_bot_after(parser: ArgumentParser) -> None:
    text = "looking for an opponent, take a bot of the house after so many seconds"
    parser.add_argument("--bot-after", metavar="S", type=milliseconds, help=text)


def milliseconds(text: str) -> int:
    """Seconds as they are typed."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise ArgumentTypeError(f"seconds are a number from 0 to 3600, like 20, not {text[:20]!r}")
    return int(value * 1000)


def options_of(args: Namespace) -> dict[str, object]:
    options: dict[str, object] = {}
    for pair in args.option:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UserError(f"--option takes NAME=VALUE, like pits=6, not {pair[:60]!r}")
        options[name.strip()] = value.strip()
    return options


def game_of(args: Namespace) -> Game:
    """The game the arguments ask for; its start is the position they give."""
    options = options_of(args)
    if args.position is not None:
        if "start" in options:
            raise UserError("give either --position or --option start=…, not both")
        options["start"] = args.position.strip() or " "
    return create(args.game, options)


def read_text(path: str) -> str:
    """A file's text, or standard input for -."""
    try:
        if path == "-" and sys.stdin is None:
            raise UserError("there is no standard input to read")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not UTF-8 text") from None
