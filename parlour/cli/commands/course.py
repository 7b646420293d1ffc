"""Run a course program: a solution of a programming assignment.

A course program takes the arguments and writes the files that its assignment asks for.

parlour course mancala -i input.txt
parlour course maxconnect4 one-move board.txt next.txt 5
parlour course nkcohcoh 4 3 ....w..b........ 2
parlour course conga --players search:3:hfunc1,random

docs/course.md describes the programs.
"""

from __future__ import annotations

import importlib
from argparse import REMAINDER, ArgumentParser, Namespace, RawDescriptionHelpFormatter

from parlour.cli.command import Command, Parser
from parlour.errors import UserError

PROGRAMS = {
    "mancala": "greedy, minimax and alpha-beta with next_state.txt and traverse_log.txt",
    "maxconnect4": "play in the terminal, or read a board, make one move and write the board",
    "nkcohcoh": "recommend a move within a given time",
    "conga": "watch two agents play",
}


def arguments(parser: ArgumentParser) -> None:
    width = max(map(len, PROGRAMS))
    lines = [f"  {name:{width}}  {summary}" for name, summary in PROGRAMS.items()]
    lines += ["", "'parlour course PROGRAM --help' describes a program."]
    parser.epilog = "\n".join(lines)
    parser.add_argument("program", metavar="PROGRAM", help=f"one of {', '.join(PROGRAMS)}")
    parser.add_argument("words", metavar="...", nargs=REMAINDER, help="the arguments of the program")


def run(args: Namespace) -> int:
    if args.program not in PROGRAMS:
        raise UserError(f"there is no course program {args.program[:40]!r}; choose one of {', '.join(PROGRAMS)}")
    program: Command = importlib.import_module(f"parlour.coursework.{args.program}")
    name = f"parlour course {args.program}"
    parser = Parser(name, description=program.__doc__, formatter_class=RawDescriptionHelpFormatter)
    program.arguments(parser)
    return program.run(parser.parse_args(args.words))
