"""Convert a record, or get the game of a room: --json gives one object with the position after every move, --text the
record in its usual form.

parlour export game.txt
parlour rooms --status ended                  finished games, the latest first
parlour export 1rca5jyrpnv --text > game.txt  one of them
parlour export 1rca5jyrpnv --text --private   one that was played without a server"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from engine.record import to_json, write
from parlour.cli.records import add_record, read_record


def arguments(parser: ArgumentParser) -> None:
    add_record(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as one JSON object (the default)")
    form.add_argument("--text", action="store_true", help="as text, the way Parlour writes records")


def run(args: Namespace) -> int:
    record = read_record(args)
    print(write(record).rstrip("\n") if args.text else as_json(to_json(record)))
    return 0


def as_json(data: object) -> str:
    """One line; letters as they are where the output can take them, as JSON escapes where it cannot."""
    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return json.dumps(data)
    return text
