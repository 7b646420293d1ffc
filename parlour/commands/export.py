"""Convert a record: --json gives one object with the position after every move, --text the record in its usual form."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from engine.record import to_json, write
from parlour.arguments import read_record


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a record; - reads standard input")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as one JSON object (the default)")
    form.add_argument("--text", action="store_true", help="as text, the way Parlour writes records")


def run(args: Namespace) -> int:
    record = read_record(args.file)
    print(write(record).rstrip("\n") if args.text else json.dumps(to_json(record), ensure_ascii=False))
    return 0
