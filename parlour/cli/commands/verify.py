"""Check records, or games of rooms: every move, the result and the reason. Says "ok", or what is wrong, at which ply.

Exits with 0 if all records are right, with 1 if one is not, with 2 if one cannot be read."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.errors import GameError
from engine.record import parse, verify
from engine.record_move import quote
from parlour.cli.args_server import add_connection
from parlour.cli.main import UserError, complain
from parlour.cli.records import FILE_OR_ROOM, text_of


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("records", metavar="FILE|ROOM", nargs="+", help=FILE_OR_ROOM)
    add_connection(parser)


def run(args: Namespace) -> int:
    return max(check(args, name) for name in args.records)


def check(args: Namespace, name: str) -> int:
    try:
        text = text_of(args, name)
    except UserError as error:
        return complain(str(error))
    try:
        record = parse(text)
        verify(record)
    except GameError as error:
        print(f"{name}: WRONG: {error}")
        return 1
    ended = f"{record.result} {quote(record.reason)}" if record.reason else "not finished"
    plies = "1 ply" if len(record.moves) == 1 else f"{len(record.moves)} plies"
    print(f"{name}: ok, {record.game}, {plies}, {ended}")
    return 0
