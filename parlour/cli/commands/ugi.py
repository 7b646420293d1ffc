"""Offer the search as an engine that speaks UGI, the Universal Game Interface, on stdin and stdout.

parlour ugi conga                              for runners and other programs that speak UGI
parlour ugi cohcoh --option n=5 --option k=4
echo "go movetime 500" | parlour ugi mancala   one move from the start

Commands: ugi, isready, setoption, uginewgame, position startpos|fen TEXT [moves …],
go (movetime MS, depth N, nodes N, infinite, or p1time p2time p1inc p2inc), stop,
query p1turn|gameover|result, quit. Positions and moves are written as in docs/rules.md.
After the end of the input, a search with a limit still prints its move.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from parlour.cli.args import add_options
from parlour.cli.search_output import megabytes


def arguments(parser: ArgumentParser) -> None:
    from engine.registry import GAMES

    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(GAMES.names())}")
    add_options(parser)
    parser.add_argument(
        "--table", type=megabytes, default=64, metavar="MB", help="megabytes for the search's table (default: 64)"
    )
    parser.add_argument("--plain", action="store_true", help="do not use compiled code, even if numba is installed")


def run(args: Namespace) -> int:
    import sys

    from engine.registry import create
    from parlour.cli.args import options_of
    from parlour.cli.ugi_session import UgiSession
    from runtime.printable import print_line

    def answer(line: str) -> None:
        print_line(line)
        sys.stdout.flush()

    compiled = False if args.plain else None
    session = UgiSession(create(args.game, options_of(args)), answer, args.table, compiled)
    for line in sys.stdin:
        if not session.receive(line):
            return 0
    session.finish()
    return 0
