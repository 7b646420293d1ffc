"""Check records: every move, the result and the reason. Says "ok", or what is wrong and at which ply.

Exits with 0 if all records are right, with 1 if one is not, with 2 if a file cannot be read."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.errors import GameError
from engine.played import quote
from engine.record import parse, verify
from parlour.arguments import read_text
from parlour.cli import UserError, complain


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a record; - reads standard input")


def run(args: Namespace) -> int:
    return max(check(path) for path in args.files)


def check(path: str) -> int:
    try:
        text = read_text(path)
    except UserError as error:
        return complain(str(error))
    try:
        record = parse(text)
        verify(record)
    except GameError as error:
        print(f"{path}: WRONG: {error}")
        return 1
    ended = f"{record.result} {quote(record.reason)}" if record.reason else "not finished"
    plies = "1 ply" if len(record.moves) == 1 else f"{len(record.moves)} plies"
    print(f"{path}: ok, {record.game}, {plies}, {ended}")
    return 0
