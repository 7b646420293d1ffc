"""Convert a recorded game to JSON or text, or download a finished game from a server.

parlour export game.txt                         JSON with the position after every move
parlour rooms --status ended                    list finished games, newest first
parlour export 1rca5jyrpnv --text > game.txt    download one of them
parlour export 1rca5jyrpnv --text --private     a game played with 'parlour play' without a server
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace

from engine.record import to_json, write
from parlour.cli.records import add_record, read_record
from runtime.printable import print_lines


def arguments(parser: ArgumentParser) -> None:
    add_record(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object (default)")
    form.add_argument("--text", action="store_true", help="print the record as text")


def run(args: Namespace) -> int:
    record = read_record(args)
    print_lines(write(record).rstrip("\n") if args.text else as_json(to_json(record)))
    return 0


def as_json(data: object) -> str:
    """Return one line of JSON. Characters that the output cannot encode become JSON escapes."""
    text = json.dumps(data, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return json.dumps(data)
    return text
