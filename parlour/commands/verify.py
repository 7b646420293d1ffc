"""Check records: every move, the result and the reason. Says "ok", or what is wrong and at which ply.

Exits with 0 if all records are right, with 1 if one is not."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.errors import GameError
from engine.record import parse, verify
from parlour.arguments import read_text


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="a record; - reads standard input")


def run(args: Namespace) -> int:
    wrong = 0
    for path in args.files:
        text = read_text(path)
        try:
            record = parse(text)
            verify(record)
        except GameError as error:
            print(f"{path}: WRONG: {error}")
            wrong += 1
        else:
            print(f"{path}: ok, {record.game}, {len(record.moves)} plies, {record.result} {record.reason}".rstrip())
    return 1 if wrong else 0
