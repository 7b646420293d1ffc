"""Replay a recorded game in the terminal.

parlour show game.txt
parlour show game.txt --plain | less
parlour show 1rca5jyrpnv      a finished game on the server ('parlour rooms --status ended')

Keys: arrows to step, home and end, a number and enter to jump, space to play, ? for all keys, q to
quit. With --plain, or without a terminal, all boards and moves are printed as text. If the record
is wrong, it is shown up to the wrong move, and the exit code is 1.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from parlour.cli.args_server import add_looks
from parlour.cli.records import add_record, read_record
from parlour.cli.transcript import Transcript
from runtime.printable import print_lines


def arguments(parser: ArgumentParser) -> None:
    add_record(parser)
    parser.add_argument("--plain", action="store_true", help="print everything as text, without keys")
    add_looks(parser)


def run(args: Namespace) -> int:
    transcript = Transcript(read_record(args))
    wrong = 1 if transcript.fault else 0
    if not args.plain and args.record != "-" and is_interactive():
        return replay(transcript, args) or wrong
    for line in transcript.lines():
        print_lines(line)
    return wrong


def is_interactive() -> bool:
    """Return whether there is a terminal with a keyboard and a screen that supports more than printing."""
    if sys.stdin is None or sys.stdout is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def replay(transcript: Transcript, args: Namespace) -> int:
    from client.tui.app.replay_app import run_replay
    from client.tui.render.appearance import Appearance

    return run_replay(
        transcript.record, transcript, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion)
    )
