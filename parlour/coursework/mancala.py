"""Run the Mancala course program: read a position and find the best turn.

parlour course mancala -i input.txt

The program prints the board after its turn, and writes next_state.txt and, except for greedy,
traverse_log.txt to the current folder.
The input has seven lines: the task (1 greedy, 2 minimax, 3 alpha-beta), your player (1 or 2), the
cut-off depth, player 2's row, player 1's row, player 2's store, player 1's store.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from engine.course.lines import CourseFileError
from engine.course.mancala import GREEDY, read_task, solve
from parlour.coursework.files import Drafts
from parlour.errors import UserError
from parlour.input_file import read_text

NEXT_STATE, TRAVERSE_LOG = "next_state.txt", "traverse_log.txt"
RECURSION_LIMIT = 100_000  # extra turns may nest far deeper than the cut-off


def arguments(parser: ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("file", metavar="FILE", nargs="?", help="the input file, or - for standard input")
    source.add_argument("-i", metavar="FILE", dest="input", help="the same, as in the assignment")


def run(args: Namespace) -> int:
    path = args.input if args.file is None else args.file
    try:
        task = read_task(read_text(path))
    except CourseFileError as error:
        raise UserError(f"{path}: {error}") from None
    sys.setrecursionlimit(RECURSION_LIMIT)
    written = [NEXT_STATE]
    with Drafts() as drafts:
        state = drafts.open(NEXT_STATE)
        if task.task == GREEDY:
            text = solve(task, lambda line: None)
        else:
            written.append(TRAVERSE_LOG)
            write = drafts.open(TRAVERSE_LOG).write
            text = solve(task, lambda line: write(line + "\n"))
        state.write(text)
    print(picture(text))
    print("wrote", " and ".join(written))
    return 0


def picture(text: str) -> str:
    """Return the board of a next state: player 2's row on top, and each player's store at its end."""
    top, bottom, (second,), (first,) = (line.split() for line in text.splitlines())
    width = max(map(len, (*top, *bottom, second, first))) + 1
    lines = ["".join(pit.rjust(width) for pit in row) for row in (top, bottom)]
    margin = " " * len(second)
    return f"player 2  {second}{lines[0]}\nplayer 1  {margin}{lines[1]} {first}"
