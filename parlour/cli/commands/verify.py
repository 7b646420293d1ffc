"""Check recorded games: every move, the result and its reason. Names the first ply that is wrong.

parlour verify game.txt
parlour verify games/*.txt
parlour verify 1rca5jyrpnv    a finished game on the server ('parlour rooms --status ended')

The exit code is 0 if all records are right, 1 if one is wrong, 2 if one cannot be read.
'parlour tournament verify' checks the bundle of a tournament.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.errors import GameError
from engine.record import parse, verify
from engine.record_move import quote
from parlour.cli.args_server import add_connection
from parlour.cli.command import report_error
from parlour.cli.records import FILE_OR_ROOM, add_database, read_source
from parlour.errors import UserError
from runtime.printable import print_line


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("records", metavar="FILE|ROOM", nargs="+", help=FILE_OR_ROOM)
    add_connection(parser)
    add_database(parser)


def run(args: Namespace) -> int:
    return max(check(args, name) for name in args.records)


def check(args: Namespace, name: str) -> int:
    """Check one record, print the verdict, and return its exit code."""
    try:
        text = read_source(args, name)
    except UserError as error:
        return report_error(str(error))
    name = "standard input" if name == "-" else name
    try:
        record = parse(text)
        verify(record)
    except GameError as error:
        print_line(f"{name}: WRONG: {error}")
        return 1
    ended = f"{record.result} {quote(record.reason)}" if record.reason else "not finished"
    plies = "1 ply" if len(record.moves) == 1 else f"{len(record.moves)} plies"
    print_line(f"{name}: ok, {record.game}, {plies}, {ended}")
    return 0
