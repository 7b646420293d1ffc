"""Replay a recorded game in the terminal.

parlour show game.txt
parlour show game.txt --plain | less
parlour show 1rca5jyrpnv             a finished game on the server; 'parlour rooms --status ended' lists them

Keys: arrows or space to step, home and end, a number and enter to jump, q to quit. With --plain, or without a terminal,
all boards and moves are printed as text. The exit code is 1 if the record is wrong; it is shown up to the wrong move.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from parlour.cli.records import add_record, read_record
from parlour.cli.replay.transcript import Transcript


def arguments(parser: ArgumentParser) -> None:
    add_record(parser)
    parser.add_argument("--plain", action="store_true", help="print everything as text, without keys")


def run(args: Namespace) -> int:
    transcript = Transcript(read_record(args))
    if args.plain or args.record == "-" or not interactive():
        for line in transcript.lines():
            print(line)
    else:
        browse(transcript)
    return 1 if transcript.fault else 0


def interactive() -> bool:
    """Return whether there are a keyboard and a screen that supports cursor movement."""
    if sys.stdin is None or sys.stdout is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    try:
        import termios  # noqa: F401  (not available on Windows)
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def browse(transcript: Transcript) -> None:
    from parlour.cli.replay.terminal import Terminal
    from parlour.cli.replay.viewer import Viewer

    viewer, colour = Viewer(transcript), not os.environ.get("NO_COLOR")
    with Terminal(sys.stdin.fileno(), sys.stdout) as terminal:
        terminal.show(viewer.frame(*terminal.size(), colour))
        for key in terminal.pressed():
            if key == "end of input" or not viewer.press(key):
                return
            terminal.show(viewer.frame(*terminal.size(), colour))
