"""Explain a game: its goal, its moves with drawn examples, its end, its notation and its options.

parlour rules                 list the games
parlour rules conga
parlour rules mancala | less

In the terminal client, F1 shows the same rules with drawn boards.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from shutil import get_terminal_size

from client.presentation.rules.chapter import terminal_chapter
from client.presentation.rules.wrapping import plain_lines
from engine.registry import GAMES
from runtime.printable import print_line

MIN_COLUMNS = 40


def arguments(parser: ArgumentParser) -> None:
    text = f"one of {', '.join(GAMES.names())} (without it, the games are listed)"
    parser.add_argument("game", metavar="GAME", nargs="?", help=text)


def run(args: Namespace) -> int:
    lines = list_of_games() if args.game is None else plain_lines(terminal_chapter(args.game), columns())
    for line in lines:
        print_line(line)
    return 0


def list_of_games() -> list[str]:
    width = max(map(len, GAMES))
    chapters = {name: terminal_chapter(name) for name in GAMES}
    lines = [f"{name:{width}}  {chapter.title}. {chapter.lead}".rstrip() for name, chapter in chapters.items()]
    refused = [f"{sentence}." for sentence in GAMES.refused.values()]
    return [*lines, *([""] if refused else []), *refused, "", "'parlour rules GAME' explains a game."]


def columns() -> int:
    """Return the width of the terminal; 80 if there is none."""
    return max(MIN_COLUMNS, get_terminal_size().columns)
