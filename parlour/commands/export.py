"""Convert a record: --json gives one object with the position after every move, --text the record in its usual form."""

from __future__ import annotations

import json
import sys
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
