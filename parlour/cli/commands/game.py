"""Write a game of your own, and check it. A game is a package that is installed beside Parlour.

parlour game new hexagons                  write a package that works into the folder hexagons
parlour game new hexagons --folder ~/hex   into another folder
pip install -e hexagons && parlour play hexagons
parlour game check hexagons                check the folder hexagons, or the installed game
parlour game check hexagons/parlour_hexagons.py

'new' writes the rules of a small game, its tests, its perft file and a pyproject.toml. Change them
step by step. 'check' plays random games and compares: moves, positions, notation, pictures, counts,
the search compiled and in plain Python. It says what is wrong, and what to do.

Exit codes of 'check': 0 everything is right, 1 mistakes were found, 2 there is no such game.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from parlour.errors import UserError
from runtime.printable import print_line, print_lines

ACTIONS = ("new", "check")
CHECK_COLUMNS = 30


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="|".join(ACTIONS), choices=ACTIONS, help="what to do")
    text = "for new: the name of the game; for check: a game, a package, a module, a file or a folder"
    parser.add_argument("name", metavar="NAME", help=text)
    parser.add_argument("--folder", metavar="DIR", help="for new: the folder to write (default: NAME)")
    text = "for check: the file of counts (default: the file MODULE.perft.json beside the module)"
    parser.add_argument("--perft", metavar="FILE", help=text)


def run(args: Namespace) -> int:
    if args.action == "new":
        if args.perft is not None:
            raise UserError("--perft is for 'parlour game check'; leave it out")
        return write(args.name, Path(args.folder or args.name).expanduser())
    if args.folder is not None:
        raise UserError("--folder is for 'parlour game new'; leave it out")
    return check(args.name, None if args.perft is None else Path(args.perft))


def write(name: str, folder: Path) -> int:
    from parlour.cli.game_package import new_package

    for file in new_package(name, folder):
        print_line(f"wrote {file}")
    shown = f"'{folder}'" if " " in str(folder) else str(folder)
    print_lines(
        f"\nTry it, then change it:\n\n  pip install -e {shown}\n  parlour play {name}\n  parlour game check {shown}"
    )
    return 0


def check(text: str, perft: Path | None) -> int:
    from parlour.cli.game_check import check_plugin, plugins_of

    wrong = 0
    for plugin in plugins_of(text):
        print_line(f"{plugin.name or plugin.module} ({plugin.package.strip()}, module {plugin.module})")
        count = mistakes = 0
        for finding in check_plugin(plugin, perft):
            count += 1
            mistakes += bool(finding.mistakes)
            state = "WRONG" if finding.mistakes else finding.note or "ok"
            print_line(f"  {finding.check:{CHECK_COLUMNS}} {state}", flush=True)
            for mistake in finding.mistakes:
                print_line(f"    {mistake}", flush=True)
        right = f"all {count} checks passed"
        found = f"{mistakes} of {count} checks found mistakes; docs/adding-a-game.md explains what a game must do"
        print_line(f"{plugin.name or plugin.module}: {found if mistakes else right}")
        wrong += mistakes
    sys.stdout.flush()
    return 1 if wrong else 0
