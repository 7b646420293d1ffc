"""Connect a bot to a server.

parlour bot search --seek conga --clock 5+3
parlour bot alphabeta:4 --games mancala
parlour bot my_bot.py
parlour bot --exec "./my_bot" --games conga,cohcoh
parlour bot --exec "java MyHomework" --adapter maxconnect4 --workdir build
parlour bot my_bot.py --ask conga             one move, without a server

random, greedy, minimax:DEPTH and alphabeta:DEPTH play as the courses do; search is the strong one. Without --seek,
--challenge or --open a bot waits to be invited by its name. It goes on with its games after a cut, and after a restart
of its own."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from parlour.cli.args import add_bot_after, add_options
from parlour.cli.search_output import count, seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("bot", nargs="?", metavar="NAME|FILE.py[:Class]", help="a bot of the house, or your own")
    parser.add_argument("--exec", metavar="CMD", help="a program that answers a JSON line with a move")
    where = parser.add_argument_group("where")
    where.add_argument("--url", default="", help="the server (PARLOUR_URL, or ws://127.0.0.1:8765/ws)")
    where.add_argument("--name", default="", help="what the bot is called there")
    where.add_argument("--token", default="", help="the token of an account (PARLOUR_TOKEN)")
    where.add_argument("--state", metavar="FILE", type=Path, help="where the way back after a crash is kept")
    where.add_argument("--tls-trust", metavar="FILE", default="", help="a certificate to trust beside the usual ones")
    where.add_argument("--no-state", action="store_true", help="keep no way back")
    whom = parser.add_argument_group("which games")
    whom.add_argument("--games", metavar="A,B", default="", help="play only these")
    add_options(whom)  # type: ignore[arg-type]  # a group takes arguments too
    whom.add_argument("--concurrent", metavar="N", type=count, default=4, help="games at a time (4)")
    whom.add_argument("--rated", action="store_const", dest="stakes", const="rated", help="only rated games")
    whom.add_argument("--casual", action="store_const", dest="stakes", const="casual", help="only casual games")
    whom.add_argument("--opponents", metavar="A,B", default="", help="only against these")
    whom.add_argument("--avoid", metavar="A,B", default="", help="never against these")
    whom.add_argument("--seek", metavar="GAME", action="append", default=[], help="look for opponents; may be repeated")
    add_bot_after(whom)  # type: ignore[arg-type]
    whom.add_argument("--challenge", metavar="NAME", default="", help="invite somebody to one game (--count) of --seek")
    whom.add_argument("--open", action="store_true", help="join whoever waits in the lobby")
    whom.add_argument("--clock", default="none", help="of the games it seeks: 5+3, 90s+1, 10/move, 10/move+60 or none")
    whom.add_argument("--count", metavar="N", type=count, help="leave after so many games")
    how = parser.add_argument_group("how it plays")
    how.add_argument("--seconds", metavar="S", type=seconds, help="think so long about a move, if the clock allows")
    how.add_argument("--level", metavar="1..10", type=count, default=10, help="of search: weaker on purpose")
    how.add_argument("--seed", type=int, help="makes chance repeatable, game by game")
    how.add_argument("--pace", choices=("bot", "human"), default="bot", help="human: not faster than a person")
    how.add_argument("--greet", metavar="TEXT", default="", help="said at the start of a game")
    how.add_argument("--cpu-clock", action="store_true", help="report CPU time in the notes")
    how.add_argument("--deadline", metavar="S", type=seconds, default=60.0, help="for a move, whatever the clock (60)")
    programs = parser.add_argument_group("programs (--exec)")
    programs.add_argument("--adapter", help="for homework: mancala, maxconnect4, nkcohcoh or conga")
    programs.add_argument("--workdir", metavar="DIR", type=Path, help="its folder; with --adapter copied for each run")
    programs.add_argument("--depth", metavar="N", type=count, default=4, help="what {depth} stands for (4)")
    programs.add_argument("--startup", metavar="S", type=seconds, default=10.0, help="allowed for coming up (10)")
    programs.add_argument("--ready", action="store_true", help="it says a line 'ready' when it can play")
    programs.add_argument("--events", action="store_true", help="tell it of starts and ends of games")
    programs.add_argument("--memory", metavar="MB", type=whole, default=2048, help="limit; 0 is none (2048)")
    programs.add_argument("--cpu", metavar="S", type=whole, default=0, help="limit for the program's life; 0 is none")
    programs.add_argument("--retries", metavar="N", type=whole, default=0, help="failures in a game to forgive (0)")
    programs.add_argument("--forensics", metavar="DIR", type=Path, help="where evidence of failures goes")
    where.add_argument("--leave-with-stdin", action="store_true", help=SUPPRESS)  # for whoever starts us
    where.add_argument("--lazy", action="store_true", help=SUPPRESS)  # a bot of the house costs little until it plays
    once = parser.add_argument_group("without a server")
    once.add_argument("--ask", metavar="GAME", help="print one move and leave")
    once.add_argument("--position", metavar="TEXT", help="for --ask, instead of the start")
    once.add_argument("--moves", metavar="TEXT", default="", help="for --ask, the moves so far, with blanks between")


def whole(text: str) -> int:
    return 0 if text == "0" else count(text)


def run(args: Namespace) -> int:
    from parlour.cli.bot_setup import run_bot

    return run_bot(args)
