"""Arguments that several commands share: a game, its options, a position."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from engine.game import Game
from engine.registry import GAMES, create
from parlour.errors import UserError


def add_game(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(GAMES.names())}")
    add_options(parser)
    parser.add_argument(
        "--position", metavar="TEXT", help="start from this position; it also sets the size of the board"
    )


def add_options(parser: ArgumentParser) -> None:
    text = "an option of the game, for example pits=6; may be repeated"
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help=text)


def add_bot_after(parser: ArgumentParser) -> None:
    text = "while looking for an opponent, accept a house bot after S seconds"
    parser.add_argument("--bot-after", metavar="S", type=milliseconds, help=text)


def milliseconds(text: str) -> int:
    """Convert seconds, as typed, to milliseconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise ArgumentTypeError(f"expected seconds, a number from 0 to 3600, not {text[:20]!r}")
    return int(value * 1000)


def options_of(args: Namespace) -> dict[str, object]:
    """Return the options given with --option. Raises UserError if one is not NAME=VALUE."""
    options: dict[str, object] = {}
    for pair in args.option:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UserError(f"--option needs NAME=VALUE, for example pits=6, not {pair[:60]!r}")
        options[name.strip()] = value.strip()
    return options


def game_of(args: Namespace) -> Game:
    """Return the game of the arguments, starting from --position. Raises UserError or GameError."""
    options = options_of(args)
    if args.position is not None:
        if "start" in options:
            raise UserError("use either --position or --option start=…, not both")
        options["start"] = args.position.strip() or " "
    return create(args.game, options)
