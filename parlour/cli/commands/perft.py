"""Count the move sequences of 1, 2, … DEPTH plies, one depth per line.

parlour perft conga 5
parlour perft mancala 6 --option pits=4 --option stones=3 --option rules=standard

Use it to check a program of your own: if it knows the same rules, it gets the same counts.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from engine.perft import perft
from parlour.cli.args import add_game, game_of
from runtime.printable import print_line


def arguments(parser: ArgumentParser) -> None:
    add_game(parser)
    parser.add_argument("depth", metavar="DEPTH", type=depth, help="the greatest number of plies, 1 to 100")


def depth(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:
        raise ArgumentTypeError(f"expected a depth, a whole number from 1 to 100, not {text[:20]!r}")
    return int(text)


def run(args: Namespace) -> int:
    game = game_of(args)
    for plies in range(1, args.depth + 1):
        print_line(f"{plies} {perft(game, game.start(), plies)}", flush=True)
    return 0
