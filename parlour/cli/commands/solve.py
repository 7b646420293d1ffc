"""Compute the exact value of a position for the side to move, and a best line.

parlour solve mancala --option pits=4 --option stones=4
parlour solve cohcoh --position ".w......b w" --option k=3 --json
parlour solve conga --seconds 60
parlour solve mancala --option stones=4 --threads 2
parlour solve mancala --option pits=5 --option stones=6 --endgames 500

In games with points, the value is the final difference. In the others it is 1 for a win, 0 for a
draw and -1 for a loss. Progress goes to standard error. If the position is not solved within
--seconds, the result says what is known, and the exit code is 1.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.search import Limits, Report, Thinker
from engine.search.endgames import prepare_endgames
from parlour.cli.args import add_game, game_of
from parlour.cli.search_output import add_search, as_json, as_text, format_value, megabytes, seconds, tell
from parlour.errors import UserError
from runtime.printable import print_lines


def arguments(parser: ArgumentParser) -> None:
    add_game(parser)
    parser.add_argument("--seconds", type=seconds, metavar="S", help="stop after S seconds (default: no limit)")
    add_search(parser, table=1024)
    parser.add_argument(
        "--endgames",
        type=megabytes,
        metavar="MB",
        help="megabytes for the endgame table of Mancala, which is kept in the cache folder (default: 32)",
    )


def run(args: Namespace) -> int:
    game = game_of(args)
    if args.endgames is not None:
        game = game.with_endgames(int(args.endgames * (1 << 20)))
        if args.plain or game.endgames() is None:
            why = "--plain uses no endgame table" if args.plain else "this game has no endgame table"
            raise UserError(f"{why}: leave --endgames out")
    compiled = False if args.plain else None
    if not args.plain:
        prepare_endgames(game, tell)
    thinker = Thinker(game, args.table, compiled, tell, args.threads, endgames=True)
    report = thinker.solve(game.start(), Limits(args.seconds), progress=progress)
    print_lines(as_json(game, report) if args.json else as_text(game, report))
    if not report.proved:
        limit = (
            "within the greatest depth the search supports" if args.seconds is None else f"within {args.seconds:g} s"
        )
        tell(f"not solved {limit}: {known(report)}" + ("" if args.seconds is None else "; try more --seconds"))
    return 0 if report.proved else 1


def progress(report: Report) -> None:
    millions = report.nodes / 1e6
    tell(f"{report.seconds:8.1f} s  {millions:8.1f} million positions  {known(report)}")


def known(report: Report) -> str:
    """Say what the search knows about the value."""
    if report.low is None or report.high is None:
        return (
            f"depth {report.depth}, nothing forced so far"
            if not report.proved
            else f"value {format_value(report.value)}"
        )
    if report.low == report.high:
        return f"the value is {format_value(report.low)}"
    return f"the value lies between {format_value(report.low)} and {format_value(report.high)}"
